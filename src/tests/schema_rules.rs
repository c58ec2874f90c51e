//! An API description as the rules: what it finds is what a plain recursive walk along the schemas finds.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use sundown_lint::findings::{Certainty, Finding};
use sundown_lint::rules::lists::import::{Imported, new_table};
use sundown_lint::rules::{Lifecycle, PropertyCertainty, RuleFile, RuleSet};
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
        let (children, keywords): (Vec<_>, _) = match value {
            Value::Object(members) => {
                let members = members.iter().map(|(name, member)| (name.clone(), member));
                (members.collect(), ["properties", "additionalProperties"])
            }
            Value::Array(elements) => {
                let elements = elements.iter().enumerate();
                let elements = elements.map(|(index, element)| (index.to_string(), element));
                (elements.collect(), ["prefixItems", "items"])
            }
            _ => return,
        };
        for (step, child) in children {
            let declared = |(world, is_contradicted): &World| {
                let own = world
                    .iter()
                    .filter_map(|schema| self.child(schema, &step, keywords));
                (own.collect(), *is_contradicted)
            };
            let declared = worlds.iter().map(declared).collect();
            self.inside(child, &format!("{at}/{step}"), declared);
        }
    }

    /// The schema of a member or an element: its own, or that of all others.
    fn child(&self, schema: &str, step: &str, [own, others]: [&str; 2]) -> Option<Pointer> {
        let pointers = [
            format!("{schema}/{own}/{step}"),
            format!("{schema}/{others}"),
        ];
        let is_schema = |pointer: &Pointer| {
            let found = self.document.pointer(pointer);
            found.is_some_and(Value::is_object)
        };
        pointers.into_iter().find(is_schema)
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

/// A body as a record has it: a text is what was sent, quotes included.
fn as_recorded(body: &Value) -> Value {
    if body.is_string() {
        return json!(body.to_string());
    }
    body.clone()
}

/// The findings in lines of traffic.
fn findings(set: &RuleSet, lines: &str) -> Vec<Finding> {
    let (path, lifecycle) = (Path::new("-"), Lifecycle::on(day()));
    let outcome = check_with(path, lines.as_bytes(), set, lifecycle, None, false);
    let findings = outcome.findings.into_iter();
    findings.map(|placed| placed.finding).collect()
}

/// Everything that is reported of a finding, as one line.
fn finding_line(finding: &Finding) -> String {
    let rule = &finding.rule;
    let texts = [&rule.replacement, &rule.note, &rule.docs];
    let facts = (texts, rule.introduced, rule.removal, rule.is_possible);
    let found = &finding.found;
    let related = finding.related.iter().map(|inside| {
        let place = (inside.part, &inside.pointer, inside.span, inside.encoded);
        (&inside.rule.id, place, inside.certainty)
    });
    let related: Vec<_> = related.collect();
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
        let set = RuleSet::new(vec![file]).unwrap();
        for body in bodies {
            let mut reference = Reference { document: &document, rules: rules.clone(), found: Found::new(), too_many: false, validators: HashMap::new() };
            let start = "/paths/~1x/post/requestBody/content/application~1json/schema".to_owned();
            reference.inside(&body, "", vec![(vec![start], false)]);
            if reference.too_many {
                continue;
            }
            let expected = reference.found;
            let line = json!({"method": "POST", "url": "/x", "request": {"body": as_recorded(&body)}, "status": 200}).to_string();
            let mut all = BTreeSet::new();
            let mut certain: HashMap<(String, String), bool> = HashMap::new();
            for finding in findings(&set, &line) {
                let pointer = finding.found.pointer.as_ref().unwrap().exact.to_string();
                let key = (pointer, finding.rule.id.clone());
                certain.insert(key.clone(), finding.found.certainty == Certainty::Possible);
                all.insert(key);
                all.extend(finding.related.iter().map(|inside| (inside.pointer.as_ref().unwrap().exact.to_string(), inside.rule.id.clone())));
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
fn in_calls(set: &RuleSet, body: &Value) -> Vec<Finding> {
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
    findings(set, &calls.map(|call| line(call).to_string()).join("\n"))
}

proptest! {
    #[test]
    fn an_imported_description_finds_what_the_description_finds(
        components in prop::collection::vec(schema(), 4),
        root in schema(),
        bodies in prop::collection::vec(body(), 1..4),
    ) {
        let text = shared(&components, &root).to_string();
        let own = |path: &str| path.to_owned();
        let imported = Imported::from_description("api", description(&text), &own).0;
        let read = |name: &str| match name {
            "rules/api" => Ok(text.clone().into_bytes()),
            _ => Err(io::ErrorKind::NotFound.into()),
        };
        let (rules, remarks) = new_table(&imported, "Test").unwrap();
        prop_assert_eq!(remarks, vec![]);
        let (file, _) = RuleFile::from_description("api", description(&text));
        let ids: Vec<String> = file.rules.iter().map(|rule| rule.id.clone()).collect();
        let direct = RuleSet::new(vec![file]).unwrap();
        let file = RuleFile::load("rules/table.toml", &rules, &read)
            .unwrap_or_else(|error| panic!("{rules}\n{:?}", error.mistakes));
        let set = RuleSet::new(vec![file]).unwrap();
        let written: Vec<_> = set.rules().iter().map(|rule| rule.id.clone()).collect();
        prop_assert_eq!(&written, &ids);
        let mut number = 0;
        for body in bodies {
            let body = hardened(&body, &mut number);
            let lines =
                |set| in_calls(set, &body).iter().map(finding_line).collect::<Vec<_>>();
            prop_assert_eq!(lines(&set), lines(&direct), "{}", rules);
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
        let document = json!({
            "openapi": "3.1.0",
            "info": {"title": "T", "version": "1"},
            "paths": {"/a": {"post": operation}},
            "components": {"schemas": {"Old": {"type": "string", "deprecated": true}}},
        });
        let (file, unsupported) = RuleFile::from_description("api", description(&document.to_string()));
        let set = RuleSet::new(vec![file]).unwrap();
        let found = |body: &Value| {
            let side = json!({"body": as_recorded(body), "headers": {"Content-Type": "application/json"}});
            let mut call = json!({"method": "POST", "url": "/a", "status": 200});
            call[if is_response { "response" } else { "request" }] = side;
            findings(&set, &call.to_string()).len()
        };
        if media == "application/xml" {
            prop_assert!(!unsupported.is_empty(), "{}", document);
        } else {
            prop_assert!(found(used) > 0, "{document}\n{used}");
            if let Some(other) = other {
                prop_assert_eq!(found(other), 0, "{}\n{}", document, other);
            }
        }
    }
}
