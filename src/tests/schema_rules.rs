//! An API description as the rules: what it finds is what a plain recursive walk along the schemas finds.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use sundown_lint::findings::{Certainty, Finding};
use sundown_lint::rules::lists::import::{Imported, StaleRules, merge, new_table};
use sundown_lint::rules::{AnnouncedFacts, Lifecycle, PropertyCertainty, RuleFile, RuleTable};
use sundown_openapi::{Description, MarkerOptions};

use super::support::{check_with, day};

/// A schema by its pointer in the description.
type Pointer = String;

/// By property, its rules.
type Rules = BTreeMap<Pointer, Vec<(String, PropertyCertainty)>>;

/// Schemas that all apply to a value, and whether the body contradicts them.
type World = (BTreeSet<Pointer>, bool);

/// A finding: pointer, rule, and whether it is only possible.
type Found = BTreeSet<(String, String, bool)>;

/// The program distinguishes no more worlds than these.
const MAX_WORLDS: usize = 60;

struct Reference<'d> {
    document: &'d Value,
    rules: Rules,
    found: Found,
    /// There were more worlds than the program distinguishes.
    too_many: bool,
    /// By schema, the validator of its own keywords, without the schemas that it is composed of.
    validators: HashMap<Pointer, jsonschema::Validator>,
}

impl Reference<'_> {
    fn at(&self, pointer: &str) -> &Value {
        self.document.pointer(pointer).unwrap()
    }

    /// Follows references without siblings.
    fn resolve(&self, mut pointer: Pointer) -> Pointer {
        for _ in 0..20 {
            match self.at(&pointer).as_object() {
                Some(schema) if schema.len() == 1 && schema.contains_key("$ref") => {
                    pointer = schema["$ref"].as_str().unwrap()[1..].to_owned();
                }
                _ => break,
            }
        }
        pointer
    }

    /// The component `named`, if it always contains `base`.
    fn subtype(&self, base: &str, named: Pointer) -> Option<Pointer> {
        self.document.pointer(&named)?;
        let mut seen = BTreeSet::from([self.resolve(named.clone())]);
        if named == base || !seen.contains(&named) {
            return None;
        }
        let mut pending = vec![named.clone()];
        while let Some(next) = pending.pop() {
            let schema = self.at(&next);
            let list = schema["allOf"].as_array().map_or(0, Vec::len);
            let parts = (0..list).map(|index| format!("{next}/allOf/{index}"));
            let target = schema["$ref"].as_str().map(|target| target[1..].to_owned());
            for part in parts.chain(target).map(|part| self.resolve(part)) {
                if part == base {
                    return Some(named);
                }
                if seen.insert(part.clone()) {
                    pending.push(part);
                }
            }
        }
        None
    }

    /// All sets of schemas that may hold together where these hold.
    fn worlds(
        &self,
        world: BTreeSet<Pointer>,
        mut pending: Vec<Pointer>,
        value: &Value,
    ) -> Vec<BTreeSet<Pointer>> {
        let Some(next) = pending.pop() else {
            return vec![world];
        };
        let next = self.resolve(next);
        let mut world = world;
        if !world.insert(next.clone()) {
            return self.worlds(world, pending, value);
        }
        let schema = self.at(&next);
        if let Some(target) = schema["$ref"].as_str() {
            pending.push(target[1..].to_owned());
        }
        let list = |key: &str| schema[key].as_array().map_or(0, Vec::len);
        pending.extend((0..list("allOf")).map(|index| format!("{next}/allOf/{index}")));
        let chosen = schema["discriminator"]["propertyName"]
            .as_str()
            .and_then(|name| {
                let said = value[name].as_str()?;
                if let Some(mapped) = schema["discriminator"]["mapping"][said].as_str() {
                    return Some(self.resolve(mapped[1..].to_owned()));
                }
                // Without a mapping, a branch is chosen by the name of its schema.
                let named = format!("/components/schemas/{said}");
                let branches = ["oneOf", "anyOf"]
                    .into_iter()
                    .flat_map(|key| (0..list(key)).map(move |index| (key, index)));
                let mut branches =
                    branches.map(|(key, index)| self.resolve(format!("{next}/{key}/{index}")));
                branches
                    .find(|branch| *branch == named)
                    .or_else(|| self.subtype(&next, named))
            });
        let mut worlds: Vec<Vec<Pointer>> = vec![pending];
        for key in ["oneOf", "anyOf"] {
            let all: Vec<Pointer> = (0..list(key))
                .map(|index| format!("{next}/{key}/{index}"))
                .collect();
            let kept: Vec<Pointer> = all
                .iter()
                .filter(|branch| Some(self.resolve((*branch).clone())) == chosen)
                .cloned()
                .collect();
            let branches = if kept.is_empty() { all } else { kept };
            if !branches.is_empty() {
                let with = |pending: &Vec<Pointer>, branch: &Pointer| {
                    [pending.clone(), vec![branch.clone()]].concat()
                };
                worlds = worlds
                    .iter()
                    .flat_map(|pending| branches.iter().map(move |branch| with(pending, branch)))
                    .collect();
            }
        }
        let beside = chosen.into_iter().collect::<Vec<_>>();
        worlds
            .into_iter()
            .flat_map(|pending| {
                self.worlds(world.clone(), [pending, beside.clone()].concat(), value)
            })
            .collect()
    }

    /// Whether a value is valid against the keywords of all these schemas.
    fn is_valid(&mut self, world: &BTreeSet<Pointer>, value: &Value) -> bool {
        world.iter().all(|schema| {
            if !self.validators.contains_key(schema) {
                let validator = validator(self.document, schema);
                self.validators.insert(schema.clone(), validator);
            }
            self.validators[schema].is_valid(value)
        })
    }

    /// Marks the worlds that a value contradicts, if it does not contradict all of them.
    fn decide(&mut self, worlds: &mut [World], value: &Value) {
        let is_valid: Vec<bool> = worlds
            .iter()
            .map(|(world, is_contradicted)| !is_contradicted && self.is_valid(world, value))
            .collect();
        if is_valid.contains(&true) {
            for ((_, is_contradicted), is_valid) in worlds.iter_mut().zip(is_valid) {
                *is_contradicted = !is_valid;
            }
        }
    }

    /// Walks a value that one of these sets of schemas describes.
    fn walk(&mut self, value: &Value, at: &str, describing: &[World]) {
        let mut worlds: Vec<World> = Vec::new();
        for (schemas, is_contradicted) in describing {
            for world in self.worlds(BTreeSet::new(), schemas.iter().cloned().collect(), value) {
                let world = (world, *is_contradicted);
                if !worlds.contains(&world) {
                    worlds.push(world);
                }
            }
        }
        self.too_many |= worlds.len() > MAX_WORLDS;
        if self.too_many {
            return;
        }
        self.decide(&mut worlds, value);
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let declared = |(world, is_contradicted): &World| {
                        let own = world.iter().filter_map(|schema| self.member(schema, name));
                        (own.collect(), *is_contradicted)
                    };
                    let declared = worlds.iter().map(declared).collect();
                    self.inside(member, &format!("{at}/{name}"), declared);
                }
            }
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    let declared = |(world, is_contradicted): &World| {
                        let own = world
                            .iter()
                            .filter_map(|schema| self.element(schema, index));
                        (own.collect(), *is_contradicted)
                    };
                    let declared = worlds.iter().map(declared).collect();
                    self.inside(element, &format!("{at}/{index}"), declared);
                }
            }
            _ => {}
        }
    }

    fn member(&self, schema: &str, name: &str) -> Option<Pointer> {
        let found = self.at(schema);
        if found["properties"][name].is_object() {
            return Some(format!("{schema}/properties/{name}"));
        }
        found["additionalProperties"]
            .is_object()
            .then(|| format!("{schema}/additionalProperties"))
    }

    fn element(&self, schema: &str, index: usize) -> Option<Pointer> {
        let found = self.at(schema);
        let prefix = found["prefixItems"].as_array().map_or(0, Vec::len);
        if index < prefix {
            return Some(format!("{schema}/prefixItems/{index}"));
        }
        found["items"]
            .is_object()
            .then(|| format!("{schema}/items"))
    }

    /// Walks a body, or a value inside it, which the worlds around it declare by these schemas.
    fn inside(&mut self, value: &Value, at: &str, declared: Vec<(Vec<Pointer>, bool)>) {
        let mut next = Vec::new();
        // Those of contradicted worlds are separate.
        let mut rules = [Vec::new(), Vec::new()];
        let mut is_other_too = [false, false];
        let mut is_declared = [false, false];
        for (schemas, is_contradicted) in declared {
            if schemas.is_empty() {
                continue;
            }
            let group = usize::from(is_contradicted);
            let mut own = Vec::new();
            for schema in &schemas {
                let of_schema = self.rules.get(schema).cloned().unwrap_or_default();
                own.extend(of_schema.into_iter().filter_map(|(rule, certainty)| {
                    Some((rule, self.is_possible(schema, certainty, value)?))
                }));
            }
            is_declared[group] = true;
            is_other_too[group] |= own.is_empty();
            rules[group].extend(own);
            let resolved = schemas.into_iter().map(|schema| self.resolve(schema));
            next.push((resolved.collect(), is_contradicted));
        }
        let group = usize::from(!is_declared[0]);
        if let Some((rule, is_possible)) = rules[group].iter().min().cloned() {
            self.found
                .insert((at.to_owned(), rule, is_possible || is_other_too[group]));
        }
        self.walk(value, at, &next);
    }

    /// Whether a use of a property with this value is only possible; `None` if it is no use.
    fn is_possible(
        &mut self,
        property: &str,
        certainty: PropertyCertainty,
        value: &Value,
    ) -> Option<bool> {
        if certainty != PropertyCertainty::DependsOnValue {
            return Some(certainty == PropertyCertainty::Possible);
        }
        let worlds = self.worlds(BTreeSet::new(), vec![property.to_owned()], value);
        self.too_many |= worlds.len() > MAX_WORLDS;
        let mut worlds: Vec<World> = worlds.into_iter().map(|world| (world, false)).collect();
        self.decide(&mut worlds, value);
        let is_old = |(world, _): &World| {
            world
                .iter()
                .any(|schema| self.at(schema)["deprecated"] == json!(true))
        };
        let remaining = worlds
            .iter()
            .filter(|(_, is_contradicted)| !is_contradicted);
        let old: Vec<bool> = remaining.map(is_old).collect();
        old.contains(&true).then(|| old.contains(&false))
    }
}

/// The validator of a schema without the schemas that it is composed of. In those inside, one of several branches suffices.
fn validator(document: &Value, schema: &str) -> jsonschema::Validator {
    let mut own = document.pointer(schema).unwrap().clone();
    if let Some(own) = own.as_object_mut() {
        for keyword in ["allOf", "oneOf", "anyOf", "$ref", "discriminator"] {
            own.remove(keyword);
        }
    }
    own["components"] = document["components"].clone();
    let text = own.to_string().replace("\"oneOf\"", "\"anyOf\"");
    let own = serde_json::from_str(&text).unwrap();
    jsonschema::draft202012::options().build(&own).unwrap()
}

/// A schema of the components `A` to `D`, or one that refers to them.
fn schema() -> impl Strategy<Value = Value> {
    let refer = || {
        prop::sample::select(&["A", "B", "C", "D"][..])
            .prop_map(|name| format!("#/components/schemas/{name}"))
    };
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "string", "deprecated": true})),
        refer().prop_map(|target| json!({"$ref": target})),
        refer().prop_map(|target| json!({"$ref": target, "deprecated": true})),
    ];
    leaf.prop_recursive(3, 16, 3, move |inner| {
        let properties = prop::collection::btree_map(
            prop::sample::select(&["a", "b", "c"][..]),
            inner.clone(),
            0..4,
        );
        let parts = prop::collection::vec(inner.clone(), 1..3);
        let branches = prop::collection::vec(prop::sample::select(&["A", "B", "C", "D"][..]), 2..3);
        (properties, parts, branches, inner, 0..16u8).prop_map(
            |(properties, parts, branches, inner, kind)| {
                let target = |name: &&str| format!("#/components/schemas/{name}");
                let refs: Vec<Value> =
                    branches.iter().map(|name| json!({"$ref": target(name)})).collect();
                let mapping: BTreeMap<&str, String> =
                    branches.iter().map(|name| (*name, target(name))).collect();
                let object = json!({"type": "object", "properties": properties});
                let with = |key: &str, value: Value| {
                    let mut object = object.clone();
                    object[key] = value;
                    object
                };
                match kind {
                    0..4 => object,
                    4 => with("allOf", json!(parts)),
                    5 => with("oneOf", json!(parts)),
                    6 => with("anyOf", json!(parts)),
                    7 => with("additionalProperties", inner),
                    8 => json!({"type": "array", "items": inner}),
                    9 => json!({"type": "array", "prefixItems": parts, "items": inner}),
                    10 => {
                        let mut chosen = with("oneOf", json!(refs));
                        chosen["discriminator"] = json!({"propertyName": "k", "mapping": mapping});
                        chosen
                    }
                    11 => with("deprecated", json!(true)),
                    12 => with("required", json!(properties.keys().collect::<Vec<_>>())),
                    13 => with("additionalProperties", json!(false)),
                    14 => json!({"properties": {"k": {"const": branches[0]}, "a": inner}}),
                    _ => json!({"properties": {"k": {"enum": branches}, "b": inner}, "required": ["k"]}),
                }
            },
        )
    })
}

/// JSON whose keys are those of the schemas.
fn body() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(1)),
        prop::sample::select(&["A", "B", "x"][..]).prop_map(|text| json!(text))
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let members = prop::collection::btree_map(prop::sample::select(&["a", "b", "c", "z"][..]), inner.clone(), 1..5);
        let kind = prop::option::of(prop::sample::select(&["A", "B", "C", "D"][..]));
        let object = (members, kind).prop_map(|(members, kind)| {
            let mut object = json!(members);
            if let Some(kind) = kind {
                object["k"] = json!(kind);
            }
            object
        });
        prop_oneof![3 => object, 1 => prop::collection::vec(inner, 0..4).prop_map(|elements| json!(elements))]
    })
}

fn description(text: &str) -> Description {
    let read = |_: &str| -> io::Result<Vec<u8>> { Err(io::ErrorKind::NotFound.into()) };
    Description::from_bytes("api", text.as_bytes(), &read, MarkerOptions::default()).unwrap()
}

/// Everything that is reported of a finding, as one line.
fn finding_line(finding: &Finding) -> String {
    let (rule, facts) = (&finding.rule, AnnouncedFacts::of(&finding.rule));
    let (found, related) = (&finding.found, &finding.related);
    format!(
        "{} {:?} {facts:?} {:?} {found:?} {related:?}",
        rule.id, rule.element, finding.severity
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn schema_rules_find_what_a_plain_walk_of_the_schema_finds(
        components in prop::collection::vec(schema(), 4),
        root in schema(),
        bodies in prop::collection::vec(body(), 1..6),
    ) {
        let names = ["A", "B", "C", "D"];
        let schemas: BTreeMap<&str, &Value> = names.into_iter().zip(&components).collect();
        let document = json!({
            "openapi": "3.1.0",
            "info": {"title": "Test", "version": "1"},
            "paths": {"/x": {"post": {
                "requestBody": {"content": {"application/json": {"schema": root}}},
                "responses": {},
            }}},
            "components": {"schemas": schemas},
        });
        let description = description(&document.to_string());
        // A component that refers to itself and nothing else describes nothing.
        prop_assume!(description.problems().is_empty());
        let (file, _) = RuleFile::from_description("api.json", description);
        let described = &file.described[0];
        let mut rules = Rules::new();
        for (place, own) in &described.properties {
            let pointer = described.description.value(*place).unwrap().pointer();
            let own = own.iter().map(|rule| (file.rules[rule.rule].id.clone(), rule.certainty));
            rules.insert(pointer, own.collect());
        }
        let table = RuleTable::new(vec![file]).unwrap();
        for body in bodies {
            let mut reference = Reference { document: &document, rules: rules.clone(), found: Found::new(), too_many: false, validators: HashMap::new() };
            let start = "/paths/~1x/post/requestBody/content/application~1json/schema".to_owned();
            reference.inside(&body, "", vec![(vec![start], false)]);
            if reference.too_many {
                continue;
            }
            let expected = reference.found;
            // A text in a record is what the body has, quotes included.
            let written = if body.is_string() { json!(body.to_string()) } else { body };
            let line = json!({"method": "POST", "url": "/x", "request": {"body": written}, "status": 200}).to_string();
            let outcome = check_with(Path::new("-"), line.as_bytes(), &table, Lifecycle::on(day()), None, false);
            let mut all = BTreeSet::new();
            let mut certain: HashMap<(String, String), bool> = HashMap::new();
            for placed in &outcome.findings {
                let finding = &placed.finding;
                let pointer = finding.found.pointer.as_ref().unwrap().exact.clone();
                let key = (pointer, finding.rule.id.clone());
                certain.insert(key.clone(), finding.found.certainty == Certainty::Possible);
                all.insert(key);
                all.extend(finding.related.iter().map(|inside| (inside.pointer.as_ref().unwrap().exact.clone(), inside.rule.clone())));
                prop_assume!(!finding.has_more_related);
            }
            let keys: BTreeSet<_> = expected.iter().map(|(pointer, rule, _)| (pointer.clone(), rule.clone())).collect();
            prop_assert_eq!(&all, &keys, "{}\n{}", document, line);
            for (pointer, rule, is_possible) in expected {
                let found = certain.get(&(pointer.clone(), rule)).copied();
                prop_assert!(found.is_none_or(|found| found == is_possible), "{pointer}: {document}\n{line}");
            }
        }
    }
}

/// The description with names, dates and words that are hard to escape. Of the property names only `k` and `z` stay.
fn hardened(value: &Value, number: &mut u32) -> Value {
    let name = |name: &str| match name {
        "a" => "a/b~1%41#".to_owned(),
        "b" => "é \n'\"".to_owned(),
        "c" => "properties".to_owned(),
        other => other.to_owned(),
    };
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(key, member)| (name(key), hardened(member, number)));
            let mut members: serde_json::Map<String, Value> = members.collect();
            if members.get("deprecated") == Some(&json!(true)) {
                *number += 1;
                members.insert(
                    "x-replaced-by".to_owned(),
                    json!(format!("use\t\"{number}\" \u{202e}")),
                );
                if !number.is_multiple_of(3) {
                    members.insert(
                        "x-sunset".to_owned(),
                        json!(format!("2026-12-{:02}", *number % 28 + 1)),
                    );
                }
            }
            Value::Object(members)
        }
        Value::Array(elements) => elements
            .iter()
            .map(|element| hardened(element, number))
            .collect(),
        other => other.clone(),
    }
}

/// A description of two operations, with parameters and headers that they share.
fn shared(components: &[Value], root: &Value) -> Value {
    let names = ["A", "B", "C", "D"];
    let schemas: BTreeMap<&str, &Value> = names.into_iter().zip(components).collect();
    let body = |schema: &Value| json!({"content": {"application/json": {"schema": schema}}});
    let mut answer = body(&json!({"$ref": "#/components/schemas/A"}));
    answer["description"] = json!("ok");
    answer["headers"] = json!({"X-Old": {"deprecated": true, "schema": {"type": "string"}}});
    let document = json!({
        "openapi": "3.1.0",
        "info": {"title": "Test", "version": "1"},
        "servers": [{"url": "/v1"}, {"url": "https://api.example.com/v2"}],
        "paths": {
            "/x": {"post": {
                "parameters": [{"$ref": "#/components/parameters/page"}],
                "requestBody": body(root),
                "responses": {"200": answer},
            }},
            "/x/{id}": {"get": {
                "deprecated": true,
                "parameters": [
                    {"$ref": "#/components/parameters/page"},
                    {"name": "X-Mode", "in": "header", "deprecated": true, "schema": {"type": "string"}},
                    {"name": "id", "in": "path", "schema": {"enum": ["7", "8"], "x-enumDeprecated": ["7"]}},
                    {"name": "f", "in": "query", "style": "deepObject", "deprecated": true, "schema": {"type": "object"}},
                ],
                "responses": {"200": answer},
            }},
            "/x/live": {"get": {"responses": {"200": answer}}},
        },
        "components": {
            "parameters": {"page": {"name": "page", "in": "query", "deprecated": true, "schema": {}}},
            "schemas": schemas,
        },
    });
    hardened(&document, &mut 0)
}

/// The findings of a table in a body that each operation sends and receives.
fn in_calls(table: &RuleTable, body: &Value) -> Vec<Finding> {
    let calls = [
        ("POST", "/v1/x?page=1"),
        ("GET", "/v2/x/7?page=1&f[a]=1"),
        ("GET", "/v1/x/live?page=1"),
    ];
    let line = |(method, url)| {
        let headers = json!({"X-Old": "1", "X-Mode": "1"});
        let side = json!({"body": body, "headers": headers});
        json!({"method": method, "url": url, "request": side, "response": side, "status": 200})
    };
    let lines = calls.map(|call| line(call).to_string()).join("\n");
    let outcome = check_with(
        Path::new("-"),
        lines.as_bytes(),
        table,
        Lifecycle::on(day()),
        None,
        false,
    );
    outcome
        .findings
        .iter()
        .map(|placed| placed.finding.clone())
        .collect()
}

/// The uses alone; a date decides which of them are findings of their own.
fn uses(findings: &[Finding]) -> BTreeSet<(String, String)> {
    let uses = findings.iter().flat_map(|finding| {
        let pointer = finding
            .found
            .pointer
            .as_ref()
            .map(|pointer| pointer.exact.clone());
        let inside = finding
            .related
            .iter()
            .filter_map(|inside| Some(inside.pointer.as_ref()?.exact.clone()));
        let pointers = pointer.into_iter().chain(inside);
        let operation = finding.found.operation.to_string();
        pointers
            .map(move |pointer| (operation.clone(), pointer))
            .collect::<Vec<_>>()
    });
    uses.collect()
}

proptest! {
    #[test]
    fn an_imported_description_finds_what_the_description_finds(
        components in prop::collection::vec(schema(), 4),
        further in prop::collection::vec(schema(), 4),
        root in schema(),
        bodies in prop::collection::vec(body(), 1..4),
    ) {
        let before = shared(&further, &root).to_string();
        let text = shared(&components, &root).to_string();
        let own = |path: &str| path.to_owned();
        let imported = |text: &str| Imported::from_description("api", description(text), &own).0;
        let read = |name: &str| match name {
            "rules/api" => Ok(text.clone().into_bytes()),
            _ => Err(io::ErrorKind::NotFound.into()),
        };
        let located = |rules: &str| {
            let file = RuleFile::load("rules/table.toml", rules, &read)
                .unwrap_or_else(|error| panic!("{rules}\n{:?}", error.mistakes));
            RuleTable::new(vec![file]).unwrap()
        };
        let (rules, remarks) = new_table(&imported(&text), "Test").unwrap();
        prop_assert_eq!(remarks, vec![]);
        let (file, _) = RuleFile::from_description("api", description(&text));
        let ids: Vec<String> = file.rules.iter().map(|rule| rule.id.clone()).collect();
        let direct = RuleTable::new(vec![file]).unwrap();
        let table = located(&rules);
        let written: Vec<_> = table.rules().iter().map(|rule| rule.id.clone()).collect();
        prop_assert_eq!(&written, &ids);
        // A rules file imported from another description is updated.
        let (old, _) = new_table(&imported(&before), "Test").unwrap();
        let merged = merge("table", &old, &imported(&text), StaleRules::Remove).unwrap().text;
        let again = merge("table", &merged, &imported(&text), StaleRules::Remove).unwrap();
        prop_assert_eq!(&again.changes, &vec![], "{}", merged);
        let updated = located(&merged);
        prop_assert_eq!(updated.rules().len(), ids.len());
        let mut number = 0;
        for body in bodies {
            let body = hardened(&body, &mut number);
            let expected = in_calls(&direct, &body);
            let lines =
                |table| in_calls(table, &body).iter().map(finding_line).collect::<Vec<_>>();
            prop_assert_eq!(lines(&table), lines(&direct), "{}", rules);
            let current = in_calls(&updated, &body);
            if expected.iter().chain(&current).all(|finding| !finding.has_more_related) {
                prop_assert_eq!(uses(&current), uses(&expected), "{}", merged);
            }
        }
    }
}

const SHOP: &str = include_str!("../../testdata/schemas/shop.yaml");

/// The findings of a description in lines of traffic, a line each.
fn found(traffic: &str) -> Vec<String> {
    let (file, _) = RuleFile::from_description("api.yaml", description(SHOP));
    let table = RuleTable::new(vec![file]).unwrap();
    let outcome = check_with(
        Path::new("-"),
        traffic.as_bytes(),
        &table,
        Lifecycle::on(day()),
        None,
        false,
    );
    let line = |placed: &sundown_report::LocatedFinding| {
        let found = &placed.finding.found;
        let pointer = found.pointer.as_ref().map_or("", |pointer| &pointer.exact);
        format!(
            "{} {} {}",
            placed.finding.rule.id,
            found.part.name(),
            pointer
        )
        .trim()
        .to_owned()
    };
    outcome.findings.iter().map(line).collect()
}

#[test]
fn operations_parameters_properties_and_values_are_found_where_the_description_has_them() {
    let order = r#"{"legacyId":1,"etag":2,"state":"lost","parent":{"parent":{"state":"open","legacyId":3}},"labels":{"x-a":{"legacyId":4},"y":{"legacyId":5}}}"#;
    let read = format!(
        r#"{{"method":"GET","url":"/v1/orders/7?expand=a","response":{{"body":{order}}},"status":200}}"#
    );
    assert_eq!(
        found(&read),
        [
            "expand request",
            "order-legacy-id response /legacyId",
            "order-etag response /etag",
            "order-state-lost response /state",
            "order-legacy-id response /parent/parent/legacyId",
            "order-legacy-id response /labels/x-a/legacyId",
        ]
    );
    let write = format!(
        r#"{{"method":"POST","url":"/v1/orders","request":{{"body":{order}}},"status":200}}"#
    );
    assert!(
        !found(&write).contains(&"order-etag request /etag".to_owned()),
        "a request has no read-only properties"
    );
    let export =
        r#"{"method":"GET","url":"https://api.example.com/v1/orders/export","status":200}"#;
    assert_eq!(found(export), ["get-orders-export operation"]);
    let recent = format!(
        r#"{{"method":"GET","url":"/v1/orders/recent?expand=a","response":{{"body":{order}}},"status":200}}"#
    );
    assert!(
        found(&recent).is_empty(),
        "an operation of its own, of which nothing is deprecated"
    );
}

/// The pointers of the findings if one schema describes everything in a call.
fn found_by_schema(path: &str, schema: &str, call: &str, body: &str) -> Vec<String> {
    let text = format!(
        r#"{{"openapi":"3.1.0","info":{{"title":"T","version":"1"}},"paths":{{"{path}":{{"post":{{"requestBody":{{"content":{{"application/json":{{"schema":{schema}}}}}}},"responses":{{}}}}}}}}}}"#
    );
    let (file, _) = RuleFile::from_description("api", description(&text));
    let table = RuleTable::new(vec![file]).unwrap();
    let line =
        format!(r#"{{"method":"POST","url":"{call}","request":{{"body":{body}}},"status":200}}"#);
    let outcome = check_with(
        Path::new("-"),
        line.as_bytes(),
        &table,
        Lifecycle::on(day()),
        None,
        false,
    );
    let findings = outcome.findings.iter();
    findings
        .map(|placed| {
            let found = &placed.finding.found;
            let possible = if found.certainty == Certainty::Possible {
                " (possible)"
            } else {
                ""
            };
            format!(
                "{} {}{possible}",
                found.operation,
                found.pointer.as_ref().unwrap().exact
            )
        })
        .collect()
}

#[test]
fn pattern_properties_exclude_names_from_additional_properties() {
    let schema = r#"{"type":"object","patternProperties":{"^x-":{"type":"object"}},"additionalProperties":{"type":"object","properties":{"old":{"deprecated":true}}}}"#;
    let body = r#"{"x-a":{"old":1},"b":{"old":2}}"#;
    assert_eq!(
        found_by_schema("/p", schema, "/p", body),
        ["POST /p /b/old"]
    );
}

#[test]
fn an_element_that_another_alternative_declares_by_its_index_is_no_element_of_its_rest() {
    let live = r#"{"type":"array","prefixItems":[{"type":"object"}],"items":{"type":"object","properties":{"b":{}}}}"#;
    let old =
        r#"{"type":"array","items":{"type":"object","properties":{"b":{"deprecated":true}}}}"#;
    let schema = format!(r#"{{"oneOf":[{live},{old}]}}"#);
    assert_eq!(
        found_by_schema("/p", &schema, "/p", r#"[{"b":1},{"b":2}]"#),
        ["POST /p /0/b", "POST /p /1/b (possible)"]
    );
}

#[test]
fn paths_with_variables_inside_segments_match_and_are_shown_as_written() {
    let schema = r#"{"type":"object","properties":{"old":{"deprecated":true}}}"#;
    for (path, call) in [
        ("/x/{id}.{format}", "/x/7.json"),
        ("/cmp/{base}...{head}", "/cmp/a...b"),
        ("/z/{a}{b}", "/z/ab"),
        ("/files/*", "/files/q"),
        ("/w/pre{a}", "/w/prefix"),
    ] {
        assert_eq!(
            found_by_schema(path, schema, call, r#"{"old":1}"#),
            [format!("POST {path} /old")]
        );
    }
}

/// The operations of the findings in a call, of a description with these members.
fn found_in(members: &Value, call: &str) -> Vec<String> {
    let mut whole = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}});
    whole
        .as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    let (file, _) = RuleFile::from_description("api", description(&whole.to_string()));
    let table = RuleTable::new(vec![file]).unwrap();
    let (method, url) = call.split_once(' ').unwrap();
    let (url, body) = url.split_once(' ').unwrap_or((url, "null"));
    let body: Value = serde_json::from_str(body).unwrap();
    let headers = json!({"Content-Type": if body.is_string() { "application/x-www-form-urlencoded" } else { "application/json" }});
    let request = json!({"body": body, "headers": headers});
    let line = json!({"method": method, "url": url, "request": request, "status": 200}).to_string();
    let lifecycle = Lifecycle::on(day());
    let outcome = check_with(
        Path::new("-"),
        line.as_bytes(),
        &table,
        lifecycle,
        None,
        false,
    );
    let findings = outcome.findings.iter();
    findings
        .map(|placed| placed.finding.rule.element.label())
        .collect()
}

#[test]
fn a_described_path_matches_as_it_is_written() {
    let old = json!({"get": {"deprecated": true, "responses": {}}});
    let live = json!({"get": {"responses": {}}});
    let named = |pattern: &str| {
        let parameter =
            json!({"name": "name", "in": "path", "schema": {"type": "string", "pattern": pattern}});
        json!({"get": {"deprecated": true, "parameters": [parameter], "responses": {}}})
    };
    let described = json!({"get": {"deprecated": true, "parameters": [{"name": "name", "in": "path", "description": "Specified in the format `shops/*/orders/*`."}], "responses": {}}});
    for (paths, found, others) in [
        (
            json!({"/v/{name}": described}),
            "/v/shops/1/orders/2",
            &["/v/shops", "/v/shops/1"][..],
        ),
        (
            json!({"/u/{id}/microsoft.graph.sum(of='{of}')": old, "/u/{id}/microsoft.graph.all": live}),
            "/u/1/sum(of='a')",
            &["/u/1/all", "/u/1/sum"],
        ),
        (
            json!({"/j/{id}:stop": old, "/j/{id}": live}),
            "/j/7:stop",
            &["/j/7", "/j/7:go"][..],
        ),
        (
            json!({"/r/{id}.json": old, "/r/{id}": live}),
            "/r/7.json",
            &["/r/7", "/r/.json"],
        ),
        (
            json!({"/l?mode=old": old, "/l": live}),
            "/l?a=1&mode=old",
            &["/l", "/l?mode=new", "/l/x"],
        ),
        (
            json!({"/l?ids={ids}": old, "/l?names={names}": live}),
            "/l?ids=1",
            &["/l?names=1", "/l"],
        ),
        (json!({"/s?q={q}": old}), "/s", &["/s/x"]),
        (
            json!({"/v/{name}": named("shops/[^/]+")}),
            "/v/shops/1",
            &["/v/1", "/v/shops", "/v/shops/1/x"],
        ),
        (
            json!({"/v/{name}": named("shops/[^/]+")}),
            "/v/shops%2F1",
            &["/v/a%2F1"],
        ),
        (
            json!({"/v/{name}": named(".+"), "/v/{name}/x": live}),
            "/v/a/b/c",
            &["/v", "/v/a/x"],
        ),
        (json!({"/v/{name}": named("^[a-z]+$")}), "/v/a", &["/v/a/b"]),
        (json!({"/v/{path+}:go": old}), "/v/a/b:go", &["/v/a/b"]),
        (
            json!({"/{a=b/*}/{c=**}": old}),
            "/b/1/2/3",
            &["/b/1", "/c/1/2"],
        ),
    ] {
        let members = json!({"paths": paths});
        assert_eq!(
            found_in(&members, &format!("GET {found}")).len(),
            1,
            "{paths} {found}"
        );
        for other in others {
            assert!(
                found_in(&members, &format!("GET {other}")).is_empty(),
                "{paths} {other}"
            );
        }
    }
    let members = json!({"paths": {"/#Target=A": old, "/#Target=B": live}});
    assert!(found_in(&members, "GET /").is_empty());
}

#[test]
fn marks_outside_of_json_bodies_are_found() {
    let old = json!({"type": "string", "deprecated": true});
    let body = |media_type: &str, schema: Value| json!({"paths": {"/a": {"post": {"requestBody": {"content": {media_type: {"schema": schema}}}, "responses": {}}}}});
    let query = |parameter: Value| json!({"paths": {"/a": {"get": {"parameters": [parameter], "responses": {}}}}});
    let object = json!({"type": "object", "properties": {"old": old, "new": {}}});
    let values = json!({"type": "string", "enum": ["a", "b"], "x-enumDeprecated": ["a"]});
    let list = json!({"type": "array", "items": values});
    let maybe = json!({"anyOf": [old, {"type": "null"}]});
    for (members, used, others) in [
        (
            body("application/x-www-form-urlencoded", object.clone()),
            "POST /a \"old=1\"",
            &["POST /a \"new=1\""][..],
        ),
        (
            body("multipart/form-data", object.clone()),
            "POST /a {\"old\":1}",
            &[],
        ),
        (
            body("application/json", json!({"properties": {"k": list}})),
            "POST /a {\"k\":[\"a\"]}",
            &["POST /a {\"k\":[\"b\"]}"],
        ),
        (
            body("application/json", json!({"properties": {"k": maybe}})),
            "POST /a {\"k\":\"x\"}",
            &["POST /a {\"k\":null}"],
        ),
        (
            query(json!({"name": "k", "in": "query", "schema": list})),
            "GET /a?k=b&k=a",
            &["GET /a?k=b"],
        ),
        (
            query(json!({"name": "f", "in": "query", "style": "deepObject", "schema": object})),
            "GET /a?f%5Bold%5D=1",
            &["GET /a?f[new]=1", "GET /a?old=1"],
        ),
        (
            query(
                json!({"name": "f", "in": "query", "content": {"application/json": {"schema": object}}}),
            ),
            "GET /a?f=%7B%22old%22%3A1%7D",
            &[
                "GET /a?f={\"new\":1}",
                "GET /a?f=old",
                "GET /a?old=1",
                "GET /a?f={\"new\":{\"old\":1}}",
            ],
        ),
        (
            query(
                json!({"name": "f", "in": "query", "content": {"application/json": {"schema": {"properties": {"all": {"items": object}}}}}}),
            ),
            "GET /a?f={\"all\":[{\"new\":1},{\"old\":1}]}",
            &["GET /a?f={\"old\":1}", "GET /a?f={\"all\":{\"old\":1}}"],
        ),
        (
            query(
                json!({"name": "f", "in": "query", "content": {"application/json": {"schema": {"properties": {"k": values}}}}}),
            ),
            "GET /a?f={\"k\":\"a\"}",
            &["GET /a?f={\"k\":\"b\"}"],
        ),
        (
            query(
                json!({"name": "f", "in": "query", "style": "deepObject", "schema": {"properties": {"in": object}}}),
            ),
            "GET /a?f[in][old]=1",
            &["GET /a?f[old]=1", "GET /a?f[in][new]=1"],
        ),
        (
            query(
                json!({"name": "f", "in": "querystring", "content": {"application/x-www-form-urlencoded": {"schema": object}}}),
            ),
            "GET /a?old=1",
            &["GET /a?new=1"],
        ),
        (
            query(json!({"name": "f", "in": "query", "schema": object})),
            "GET /a?old=1",
            &["GET /a?new=1"],
        ),
        (
            json!({"paths": {"/a": {"x-oai-additionalOperations": {"QUERY": {"deprecated": true, "responses": {}}}}}}),
            "QUERY /a",
            &["GET /a"],
        ),
    ] {
        assert_eq!(found_in(&members, used).len(), 1, "{members} {used}");
        for other in others {
            assert!(found_in(&members, other).is_empty(), "{members} {other}");
        }
    }
}

/// A schema with one mark in it, a value that uses the marked element, and one that does not; `None` is no value.
#[derive(Debug, Clone)]
struct MarkedSchema {
    schema: Value,
    used: Value,
    other: Option<Value>,
}

/// A mark at any place in a schema of strings, arrays and objects.
fn marked_schema() -> impl Strategy<Value = MarkedSchema> {
    let marked = |schema: Value, other: Option<&str>| MarkedSchema {
        schema,
        used: json!("a"),
        other: other.map(|text| json!(text)),
    };
    let leaf = prop_oneof![
        Just(marked(json!({"type": "string", "deprecated": true}), None)),
        Just(marked(
            json!({"type": "string", "x-sunset": "2026-12-31"}),
            None
        )),
        Just(marked(
            json!({"type": "string", "enum": ["a", "b"], "x-enumDeprecated": ["a"]}),
            Some("b")
        )),
        Just(marked(
            json!({"$ref": "#/components/schemas/Old", "description": "An old one"}),
            None
        )),
    ];
    leaf.prop_recursive(4, 8, 1, |inner| {
        (inner, 0..8u8).prop_map(|(MarkedSchema { schema, used, other }, kind)| {
            let object = |value: Option<&Value>| match value {
                Some(value) => json!({"k": value, "n": 1}),
                None => json!({"n": 1}),
            };
            let with = |schema, used, other| MarkedSchema {
                schema,
                used,
                other: Some(other),
            };
            match kind {
                0..3 => with(
                    json!({"type": "object", "properties": {"k": schema, "n": {"type": "integer"}}}),
                    object(Some(&used)),
                    object(other.as_ref()),
                ),
                3 => with(
                    json!({"type": "array", "items": schema}),
                    json!([used]),
                    other.into_iter().collect(),
                ),
                4 => with(
                    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": schema}),
                    object(Some(&used)),
                    object(other.as_ref()),
                ),
                // A number is none of the values that are strings, arrays or objects.
                5 => with(
                    json!({"oneOf": [schema, {"type": "integer"}]}),
                    used,
                    other.unwrap_or(json!(7)),
                ),
                6 => MarkedSchema {
                    schema: json!({"allOf": [schema, {"description": "A part"}]}),
                    used,
                    other,
                },
                _ => with(
                    json!({"oneOf": [
                        {"type": "object", "required": ["t"], "properties": {"t": {"const": "x"}, "k": schema}},
                        {"type": "object", "required": ["t"], "properties": {"t": {"const": "y"}, "k": {"type": "integer"}}},
                    ]}),
                    json!({"t": "x", "k": used}),
                    json!({"t": "y", "k": 7}),
                ),
            }
        })
    })
}

/// The findings of a description in one call, and what it names that no rule finds.
fn found_in_call(members: &Value, call: &Value) -> (Vec<String>, usize) {
    let mut whole = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "components": {"schemas": {"Old": {"type": "string", "deprecated": true}}}});
    whole
        .as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    let (file, unsupported) = RuleFile::from_description("api", description(&whole.to_string()));
    let table = RuleTable::new(vec![file]).unwrap();
    let line = call.to_string();
    let lifecycle = Lifecycle::on(day());
    let path = Path::new("-");
    let outcome = check_with(path, line.as_bytes(), &table, lifecycle, None, false);
    let findings = outcome.findings.iter();
    let found = findings.map(|placed| {
        let found = &placed.finding.found;
        let pointer = found.pointer.as_ref().map_or("", |pointer| &pointer.exact);
        format!("{} {pointer}", placed.finding.rule.element.label())
    });
    (found.collect(), unsupported.len())
}

proptest! {
    #[test]
    fn no_mark_in_a_body_vanishes(marked in marked_schema(), media in prop::sample::select(&["application/json", "*/*", "application/vnd.x+json", "application/xml"][..]), is_response in any::<bool>()) {
        let MarkedSchema { schema, used, other } = &marked;
        let content = json!({"content": {media: {"schema": schema}}});
        let mut operation = json!({"responses": {"200": {"description": "ok"}}});
        if is_response {
            operation["responses"]["200"]["content"] = content["content"].clone();
        } else {
            operation["requestBody"] = content;
        }
        let members = json!({"paths": {"/a": {"post": operation}}});
        let call = |body: &Value| {
            // A text in a record is what the body has, quotes included.
            let body = if body.is_string() { json!(body.to_string()) } else { body.clone() };
            let side = json!({"body": body, "headers": {"Content-Type": "application/json"}});
            let mut call = json!({"method": "POST", "url": "/a", "status": 200});
            call[if is_response { "response" } else { "request" }] = side;
            call
        };
        let (found, named) = found_in_call(&members, &call(used));
        if media == "application/xml" {
            prop_assert!(named > 0, "{}", members);
        } else {
            prop_assert!(!found.is_empty(), "{members}\n{used}");
            if let Some(other) = other {
                let (found, _) = found_in_call(&members, &call(other));
                prop_assert!(found.is_empty(), "{found:?}\n{members}\n{other}");
            }
        }
    }
}

#[test]
fn no_mark_of_a_parameter_vanishes() {
    let old = json!({"type": "string", "deprecated": true});
    let values = json!({"type": "string", "enum": ["a", "b"], "x-enumDeprecated": ["a"]});
    let object = json!({"type": "object", "properties": {"old": old, "list": {"type": "array", "deprecated": true}, "new": {}}});
    let lines =
        json!({"type": "object", "properties": {"lines": {"type": "array", "items": object}}});
    let plain = json!({"type": "object", "properties": {"x": {}, "y": {}}});
    for (parameter, used, other) in [
        // The whole parameter.
        (
            json!({"name": "p", "in": "query", "deprecated": true, "style": "deepObject", "schema": plain}),
            "?p[x]=1",
            "?q[x]=1",
        ),
        (
            json!({"name": "p", "in": "query", "deprecated": true, "schema": plain}),
            "?y=1",
            "?z=1",
        ),
        (
            json!({"name": "p", "in": "query", "deprecated": true, "explode": false, "schema": plain}),
            "?p=x,1",
            "?x=1",
        ),
        (
            json!({"name": "p", "in": "query", "deprecated": true, "content": {"application/json": {"schema": plain}}}),
            "?p={}",
            "?x=1",
        ),
        // Members, also those that have members.
        (
            json!({"name": "p", "in": "query", "style": "deepObject", "schema": object}),
            "?p[list][0]=1",
            "?p[listed]=1",
        ),
        (
            json!({"name": "p", "in": "query", "style": "deepObject", "schema": object}),
            "?p[list]=1",
            "?p[new]=1",
        ),
        (
            json!({"name": "p", "in": "query", "style": "deepObject", "schema": lines}),
            "?p[lines][0][old]=1",
            "?p[lines][0][new]=1",
        ),
        (
            json!({"name": "p", "in": "query", "style": "deepObject", "schema": lines}),
            "?p[lines][][old]=1",
            "?p[lines][old]=1",
        ),
        (
            json!({"name": "p", "in": "query", "schema": object}),
            "?old=1",
            "?new=1",
        ),
        // Values, also of lists in each style.
        (
            json!({"name": "p", "in": "query", "schema": values}),
            "?p=a",
            "?p=b",
        ),
        (
            json!({"name": "p", "in": "query", "explode": false, "schema": {"type": "array", "items": values}}),
            "?p=b,a",
            "?p=b,aa",
        ),
        (
            json!({"name": "p", "in": "query", "style": "spaceDelimited", "explode": false, "schema": {"type": "array", "items": values}}),
            "?p=b%20a",
            "?p=b",
        ),
        (
            json!({"name": "p", "in": "query", "style": "pipeDelimited", "explode": false, "schema": {"type": "array", "items": values}}),
            "?p=b|a",
            "?p=b",
        ),
        (
            json!({"name": "p", "in": "query", "schema": values}),
            "?p=a",
            "?p=b,a",
        ),
        (
            json!({"name": "p", "in": "query", "deprecated": true, "schema": {"type": "array", "items": values}}),
            "?p=b,a",
            "?q=b,a",
        ),
        (
            json!({"name": "id", "in": "path", "required": true, "schema": values}),
            "a",
            "b",
        ),
    ] {
        let members =
            json!({"paths": {"/s/{id}": {"get": {"parameters": [parameter], "responses": {}}}}});
        let call = |end: &str| {
            let id = if end.starts_with('?') { "1" } else { "" };
            json!({"method": "GET", "url": format!("/s/{id}{end}"), "status": 200})
        };
        let (found, named) = found_in_call(&members, &call(used));
        assert_eq!((found.len(), named), (1, 0), "{found:?} {parameter} {used}");
        let (found, _) = found_in_call(&members, &call(other));
        assert!(found.is_empty(), "{found:?} {parameter} {other}");
    }
}

#[test]
fn marks_of_parameters_that_no_rule_finds_are_named() {
    let old = json!({"type": "string", "deprecated": true});
    let values = json!({"type": "string", "enum": ["a", "b"], "x-enumDeprecated": ["a"]});
    let object = json!({"type": "object", "properties": {"old": old, "new": {}}});
    for parameter in [
        json!({"name": "id", "in": "path", "required": true, "deprecated": true, "schema": {}}),
        json!({"name": "p", "in": "cookie", "deprecated": true, "schema": {}}),
        json!({"name": "p", "in": "cookie", "schema": values}),
        json!({"name": "p", "in": "header", "schema": object}),
        json!({"name": "p", "in": "query", "explode": false, "schema": object}),
        json!({"name": "p", "in": "querystring", "deprecated": true, "content": {"application/json": {"schema": object}}}),
    ] {
        let members =
            json!({"paths": {"/s/{id}": {"get": {"parameters": [parameter], "responses": {}}}}});
        let (_, named) = found_in_call(&members, &json!({"method": "GET", "url": "/s/1"}));
        assert!(named > 0, "{parameter}");
    }
    let scheme = json!({"components": {"securitySchemes": {"old": {"type": "http", "scheme": "basic", "deprecated": true}}}});
    assert_eq!(found_in_call(&scheme, &json!({})).1, 1);
    let part = json!({"paths": {"/s": {"post": {"requestBody": {"content": {"multipart/form-data": {"schema": {}, "encoding": {"f": {"headers": {"X-Old": {"deprecated": true}}}}}}}, "responses": {}}}}});
    assert_eq!(found_in_call(&part, &json!({})).1, 1);
}

#[test]
fn two_descriptions_may_have_elements_of_one_name() {
    let file = || RuleFile::from_description("api.yaml", description(SHOP)).0;
    let table = RuleTable::new(vec![file(), file()]).unwrap();
    let ids: BTreeSet<&str> = table.rules().iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids.len(), table.rules().len());
    assert!(ids.contains("order-legacy-id-2"));
}

#[test]
fn forms_patches_and_placeholders_decide_no_alternative() {
    let old = r#"{"properties":{"kind":{"const":"x"},"size":{"type":"integer"},"old":{"deprecated":true}},"required":["kind"]}"#;
    let live = r#"{"properties":{"kind":{"type":"string"},"old":{}}}"#;
    let schema = format!(r#"{{"oneOf":[{old},{live}]}}"#);
    let possible = ["POST /p /old (possible)"];
    let form = r#""kind=x&size=1&old=1""#;
    assert_eq!(found_by_schema("/p", &schema, "/p", form), possible);
    let patch = r#"[{"op":"replace","path":"/old","value":1}]"#;
    assert_eq!(found_by_schema("/p", &schema, "/p", patch), possible);
    for kind in ["{{kind}}", "<KIND>"] {
        let body = format!(r#"{{"kind":"{kind}","size":1,"old":1}}"#);
        assert_eq!(found_by_schema("/p", &schema, "/p", &body), possible);
    }
    let other = r#"{"kind":"y","size":1,"old":1}"#;
    assert!(found_by_schema("/p", &schema, "/p", other).is_empty());
}

#[test]
fn each_description_decides_its_own_alternatives() {
    // Both have the same schemas in the same order, with the constants exchanged.
    let file = |first: u8, second: u8, inside: &str, outside: &str| {
        let text = format!(
            r#"{{"openapi":"3.1.0","info":{{"title":"T","version":"1"}},"paths":{{"/p":{{"post":{{"requestBody":{{"content":{{"application/json":{{"schema":{{"oneOf":[
                {{"properties":{{"a":{{"oneOf":[
                    {{"properties":{{"k":{{"const":{first}}},"p":{inside}}}}},
                    {{"properties":{{"k":{{"const":{second}}},"p":{{}}}}}}]}},"old":{outside}}}}},
                {{"required":["other"]}}]}}}}}}}},"responses":{{}}}}}}}}}}"#
        );
        RuleFile::from_description("api", description(&text)).0
    };
    let marked = r#"{"deprecated":true}"#;
    let table = RuleTable::new(vec![file(1, 2, "{}", marked), file(2, 1, marked, "{}")]).unwrap();
    let line = r#"{"method":"POST","url":"/p","request":{"body":{"a":{"k":1,"p":1},"old":1}},"status":200}"#;
    let outcome = check_with(
        Path::new("-"),
        line.as_bytes(),
        &table,
        Lifecycle::on(day()),
        None,
        false,
    );
    let pointers = outcome
        .findings
        .iter()
        .map(|placed| placed.finding.found.pointer.as_ref());
    let pointers: Vec<_> = pointers
        .map(|pointer| pointer.unwrap().exact.clone())
        .collect();
    assert_eq!(pointers, ["/old"]);
}
