//! Fixes of random files of every format that people write, beside a generator that writes each file again with just the intended
//! changes: no other byte differs, and a second run has nothing to do.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::Value;

use super::support::day;
use crate::tests::support::Files;
use sundown_captures::Gauge;
use sundown_lint::InnerElements;
use sundown_lint::rules::{RuleFile, RuleSet};
use sundown_run::config::Settings;
use sundown_run::{
    Backup, BodyOperation, CheckOptions, EditRefusal, FixLevel, OutputRights, fix_files,
};

const RULES: &str = "api = 'Shop'\n\
    [[rule]]\nid = 'old'\noperation = 'POST /v1/orders'\nfield = 'old'\nat = ['$..old']\n\
    fix = { rename = 'new', safe = true }\n\
    [[rule]]\nid = 'colour'\noperation = 'POST /v1/orders'\nfield = 'colour'\nvalue = 'red'\nat = ['$..colour']\n\
    fix = { set = 'dark-red', safe = true }\n\
    [[rule]]\nid = 'gone'\noperation = 'POST /v1/orders'\nfield = 'gone'\nat = ['$..gone']\n\
    fix = { remove = true, safe = true }\n";

/// The name of a member in whose place a template may write any.
const REST: &str = "{{rest}}";

/// A JSON value, with the way in which its keys are written.
#[derive(Debug, Clone)]
enum Json {
    Scalar(&'static str),
    Array(Vec<Json>),
    /// Members, and whether there is room after the last one for another.
    Object(Vec<Member>, bool),
}

#[derive(Debug, Clone)]
struct Member {
    name: &'static str,
    /// Whether the key is written with an escape, so that it is left as it is.
    is_escaped: bool,
    value: Json,
}

/// Where a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Body,
    Bruno,
    Collection,
    Contract,
    Curl,
    /// As an example in an API description.
    Description,
    Hoverfly,
    Http,
    Hurl,
    InsomniaV4,
    InsomniaV5,
    Manifest,
    WireMock,
}

const PLACES: [Place; 13] = [
    Place::Body,
    Place::Bruno,
    Place::Collection,
    Place::Contract,
    Place::Curl,
    Place::Description,
    Place::Hoverfly,
    Place::Http,
    Place::Hurl,
    Place::InsomniaV4,
    Place::InsomniaV5,
    Place::Manifest,
    Place::WireMock,
];

impl Place {
    /// Whether a body is in a JSON string, where no member can be removed.
    fn is_string(self) -> bool {
        matches!(self, Self::Collection | Self::Hoverfly | Self::InsomniaV4)
    }

    /// Whether a body is in one line.
    fn is_line(self) -> bool {
        let is_text = matches!(self, Self::Bruno | Self::Curl | Self::Http | Self::Hurl);
        is_text || self == Self::InsomniaV5
    }

    /// Whether templates need no quotes.
    fn is_client(self) -> bool {
        self.is_line() || matches!(self, Self::Collection | Self::InsomniaV4)
    }

    fn is_stub(self) -> bool {
        matches!(self, Self::Contract | Self::Hoverfly | Self::WireMock)
    }
}

impl Json {
    /// Writes the value, with some white space.
    fn write(&self, place: Place, space: &str, out: &mut String) {
        match self {
            Self::Scalar(text) => out.push_str(text),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    out.push_str(space);
                    item.write(place, space, out);
                }
                out.push(']');
            }
            Self::Object(members, has_room) => {
                out.push('{');
                for (index, member) in members.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    out.push_str(space);
                    if member.name == REST && place.is_client() {
                        let _ = write!(out, "{REST}{space}");
                        continue;
                    }
                    let (first, rest) = member.name.split_at(1);
                    let first = if member.is_escaped {
                        format!("\\u{:04x}", u32::from(first.chars().next().unwrap()))
                    } else {
                        first.to_owned()
                    };
                    let _ = write!(out, "\"{first}{rest}\"{space}:{space}");
                    member.value.write(place, space, out);
                    out.push_str(space);
                }
                out.push_str(if *has_room { space } else { "" });
                out.push('}');
            }
        }
    }

    /// Whether an edit is made somewhere in the value, if it is looked at alone.
    fn has_edit(&self, place: Place) -> bool {
        match self {
            Self::Scalar(_) => false,
            Self::Array(items) => items.iter().any(|item| item.has_edit(place)),
            Self::Object(members, _) => members.iter().any(|member| {
                let has_own = !member.is_escaped
                    && match member.name {
                        "old" => is_free(members),
                        "colour" => member.is_red(),
                        "gone" => !place.is_string(),
                        _ => false,
                    };
                has_own || member.value.has_edit(place)
            }),
        }
    }

    /// The number of members of which a template may write the new name.
    fn unsearched(&self) -> usize {
        match self {
            Self::Scalar(_) => 0,
            Self::Array(items) => items.iter().map(Self::unsearched).sum(),
            Self::Object(members, _) => {
                let is_unknown = !is_free(members) && members.iter().all(|it| it.name != "new");
                let own = |it: &Member| is_unknown && it.name == "old" && !it.is_escaped;
                let inner = members
                    .iter()
                    .map(|it| usize::from(own(it)) + it.value.unsearched());
                inner.sum()
            }
        }
    }

    /// The value after the fixes; `is_named` if something beside it names what is to be renamed.
    fn fixed(&self, place: Place, is_named: bool) -> Self {
        match self {
            Self::Scalar(text) => Self::Scalar(text),
            Self::Array(items) => {
                let items = items.iter().map(|item| item.fixed(place, is_named));
                Self::Array(items.collect())
            }
            Self::Object(members, _) => {
                let (mut fixed, mut has_room) = (Vec::new(), false);
                for (index, member) in members.iter().enumerate() {
                    let mut new = member.clone();
                    new.value = member.value.fixed(place, is_named);
                    match member.name {
                        _ if member.is_escaped => {}
                        "old" if is_free(members) && !is_named => new.name = "new",
                        "colour" if member.is_red() => new.value = Self::Scalar("\"dark-red\""),
                        // Edits inside of what is removed touch it.
                        "gone" if !place.is_string() && member.value.has_edit(place) => {
                            new = member.clone();
                        }
                        "gone" if !place.is_string() => {
                            has_room = index > 0 && index + 1 == members.len();
                            continue;
                        }
                        _ => {}
                    }
                    fixed.push(new);
                }
                Self::Object(fixed, has_room)
            }
        }
    }
}

fn is_free(members: &[Member]) -> bool {
    members.iter().all(|it| it.name != "new" && it.name != REST)
}

impl Member {
    fn is_red(&self) -> bool {
        matches!(self.value, Json::Scalar("\"red\""))
    }
}

fn json() -> impl Strategy<Value = Json> {
    let scalar = prop::sample::select(vec![
        "1",
        "null",
        "\"red\"",
        "\"old\"",
        "\"}\\\"{,\"",
        "[]",
        "{}",
    ]);
    let leaf = scalar.prop_map(Json::Scalar);
    leaf.prop_recursive(4, 24, 4, |inner| {
        let names = vec!["old", "new", "gone", "colour", "x", "olde", REST];
        let names = prop::sample::subsequence(names, 0..5).prop_shuffle();
        let members = names.prop_flat_map(move |names| {
            let member = (inner.clone(), prop::bool::weighted(0.1));
            prop::collection::vec(member, names.len()).prop_map(move |values| {
                let members = names.iter().zip(values);
                let members = members.map(|(&name, (value, is_escaped))| {
                    let is_rest = name == REST;
                    Member {
                        name,
                        is_escaped: is_escaped && !is_rest,
                        value: if is_rest { Json::Scalar("1") } else { value },
                    }
                });
                Json::Object(members.collect(), false)
            })
        });
        prop_oneof![
            3 => members.clone(),
            1 => prop::collection::vec(members, 0..3).prop_map(Json::Array),
        ]
    })
    .prop_map(|value| match value {
        // No body is nothing.
        Json::Scalar(_) => Json::Array(vec![value]),
        value => value,
    })
}

/// The beginning of a request.
const HEAD: &str = "POST https://shop.example/v1/orders\nContent-Type: application/json\n";

/// A file with these bodies. That of the call `shared` is a variable, an alias, or sent to two addresses; in a stub, it has a second
/// matcher.
fn file(place: Place, bodies: &[String], shared: Option<usize>) -> String {
    let string = |text: &str| Value::from(text).to_string();
    let defined = shared.map_or("", |shared| bodies[shared].as_str());
    let item = |(number, body): (usize, &String)| {
        let is_shared = shared == Some(number);
        let is_variable = is_shared && !matches!(place, Place::Curl | Place::InsomniaV5);
        let own = if is_variable {
            "{\"x\": {{shared}}}"
        } else {
            body
        };
        let more = |text: &'static str| if is_shared { text } else { "" };
        match place {
            Place::Body => body.clone(),
            Place::Bruno => format!(
                "meta {{\n  name: a\n}}\n\npost {{\n  url: https://shop.example/v1/orders\n  body: json\n}}\n\n\
                body:json {{\n  {own}\n}}\n\nvars:pre-request {{\n  shared: {defined}\n}}\n"
            ),
            Place::Collection => format!(
                "{{\"name\":\"x\",\"request\":{{\"method\":\"POST\",\"url\":\"https://shop.example/v1/orders\",\
                \"body\":{{\"mode\":\"raw\",\"raw\":{}}}}}}}",
                string(own)
            ),
            Place::Contract => format!(
                "{{\"description\":\"x\",\"request\":{{\"method\":\"POST\",\"path\":\"/v1/orders\",\"body\":{body}{}}},\
                \"response\":{{\"status\":200}}}}",
                more(",\"matchingRules\":{\"$.body..old\":{\"match\":\"type\"}}")
            ),
            Place::Curl => format!(
                "curl https://shop.example/v1/orders {}-H 'Content-Type: application/json' -d '{body}'",
                more("https://shop.example/v2/others ")
            ),
            Place::Description => format!("\"{number}\":{{\"value\":{body}}}"),
            Place::Hoverfly => format!(
                "{{\"request\":{{\"path\":\"/v1/orders\",\"method\":\"POST\",\"body\":[{{\"matcher\":\"json\",\"value\":{}}}{}]}},\
                \"response\":{{\"status\":200}}}}",
                string(body),
                more(",{\"matcher\":\"jsonpath\",\"value\":\"$..old\"}")
            ),
            Place::Http => format!("{HEAD}\n{own}\n###"),
            Place::Hurl => format!("{HEAD}[Options]\nvariable: shared=x\n{own}\nHTTP 200"),
            Place::InsomniaV4 => format!(
                "{{\"_type\":\"request\",\"method\":\"POST\",\"url\":\"https://shop.example/v1/orders\",\
                \"body\":{{\"mimeType\":\"application/json\",\"text\":{}}}}}",
                string(own)
            ),
            Place::InsomniaV5 => format!(
                "  - name: a\n    url: https://shop.example/v1/orders\n    method: POST\n    body:{}\n\
                \x20     mimeType: application/json\n      text: |\n        {body}{}",
                more(" &b"),
                more(
                    "\n  - {name: b, url: https://shop.example/v2/others, method: POST, body: *b}"
                )
            ),
            Place::Manifest => {
                format!("{{\"apiVersion\":\"shop.example/v1\",\"kind\":\"Order\",\"spec\":{body}}}")
            }
            Place::WireMock => format!(
                "{{\"request\":{{\"method\":\"POST\",\"url\":\"/v1/orders\",\"bodyPatterns\":[{{\"equalToJson\":{body}}}{}]}},\
                \"response\":{{\"status\":200}}}}",
                more(",{\"matchesJsonPath\":\"$..old\"}")
            ),
        }
    };
    let items: Vec<String> = bodies.iter().enumerate().map(item).collect();
    let list = items.join(",\n");
    let lines = items.join("\n");
    match place {
        Place::Body | Place::Bruno | Place::Curl | Place::Hurl => lines,
        Place::Collection => format!(
            "{{\"info\":{{\"name\":\"x\",\
            \"schema\":\"https://schema.getpostman.com/json/collection/v2.1.0/collection.json\"}},\
            \"variable\":[{{\"key\":\"shared\",\"value\":{}}}],\"item\":[{list}]}}",
            string(defined)
        ),
        Place::Contract => format!(
            "{{\"consumer\":{{\"name\":\"a\"}},\"provider\":{{\"name\":\"b\"}},\"interactions\":[{list}],\
            \"metadata\":{{\"pactSpecification\":{{\"version\":\"2.0.0\"}}}}}}"
        ),
        Place::Description => format!(
            "{{\"openapi\":\"3.1.0\",\"info\":{{\"title\":\"x\",\"version\":\"1\"}},\"paths\":{{\"/v1/orders\":{{\"post\":\
            {{\"requestBody\":{{\"content\":{{\"application/json\":{{\"examples\":{{{list}}}}}}}}}}}}}}}}}"
        ),
        Place::Hoverfly => {
            format!("{{\"data\":{{\"pairs\":[{list}]}},\"meta\":{{\"schemaVersion\":\"v5\"}}}}")
        }
        Place::Http => format!("@shared = {defined}\n\n{lines}"),
        Place::InsomniaV4 => format!(
            "{{\"_type\":\"export\",\"__export_format\":4,\"resources\":[{{\"_type\":\"environment\",\
            \"data\":{{\"shared\":{}}}}},{list}]}}",
            string(defined)
        ),
        Place::InsomniaV5 => {
            format!("type: collection.insomnia.rest/5.0\ncollection:\n{lines}\n")
        }
        Place::Manifest => {
            format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{list}]}}")
        }
        Place::WireMock => format!("{{\"mappings\":[{list}]}}"),
    }
}

fn cases() -> ProptestConfig {
    let cases = if std::env::var_os("SUNDOWN_TESTS").is_some_and(|all| all == "full") {
        20_000
    } else {
        40
    };
    ProptestConfig::with_cases(cases)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_fixed_file_has_just_the_intended_changes(
        mut values in prop::collection::vec(json(), 1..8),
        space in prop::sample::select(vec!["", " ", "\n\t", "\r\n"]),
        place in prop::sample::select(&PLACES[..]),
        shared in prop::option::weighted(0.4, 0..8_usize),
    ) {
        let space = if place.is_line() || place.is_client() && space.is_empty() { " " } else { space };
        if matches!(place, Place::Body | Place::Bruno) {
            values.truncate(1);
        }
        let may_share = place.is_client() || place.is_stub();
        let shared = shared.filter(|shared| *shared < values.len() && may_share);
        let text = |value: &Json| {
            let mut text = String::new();
            value.write(place, space, &mut text);
            text
        };
        let texts: Vec<String> = values.iter().map(text).collect();
        let old = file(place, &texts, shared);
        let fixed: Vec<Json> = values
            .iter()
            .enumerate()
            .map(|(number, value)| match shared {
                Some(_) if place == Place::InsomniaV5 => value.clone(),
                Some(shared) if shared == number && !place.is_stub() => value.clone(),
                shared => value.fixed(place, shared == Some(number)),
            })
            .collect();
        let texts: Vec<String> = fixed.iter().map(text).collect();
        let expected = file(place, &texts, shared);
        let name = if place == Place::Bruno { "a.bru" } else { "a.txt" };
        let files = Files::new().with(name, &old);
        let operation = if place == Place::Manifest { "POST /apis/shop.example/v1/orders" } else { "POST /v1/orders" };
        let rules = RULES.replace("POST /v1/orders", operation);
        let set = RuleSet::new(vec![RuleFile::parse("shop.toml", &rules).unwrap()]).unwrap();
        let [of_rule] = &set.rules()[0].places[..] else { panic!() };
        let named = BodyOperation { operation: of_rule.operation.clone(), sides: of_rule.sides };
        let named = Some(named).filter(|_| place == Place::Body);
        let options = CheckOptions {
            fold: false,
            inner: InnerElements::Separate,
            named,
            ..CheckOptions::new(Settings::of(vec![files.path(name)]), &set, day())
        };
        let fix = || {
            let mut edits = 0;
            // Examples may be those of other operations, too.
            let level = if place == Place::Description { FixLevel::Unsafe } else { FixLevel::Safe };
            let outcome = fix_files(&options, level, &Gauge::default(), &mut |changed| {
                edits += changed.edits.len();
                changed.write(&OutputRights::default(), Backup::None)
            });
            (edits, outcome.left)
        };
        let (_, left) = fix();
        // More of them come from the limit of the search.
        let unsearched = left.iter().filter(|left| left.refusal == EditRefusal::Unsearched).count();
        let known: usize = values.iter().map(Json::unsearched).sum();
        prop_assume!(unsearched <= known);
        let new = std::fs::read_to_string(files.path(name)).unwrap();
        prop_assert_eq!(&new, &expected, "{}\n{:?}", old, left.iter().map(|left| &left.refusal).collect::<Vec<_>>());
        let (again, _) = fix();
        prop_assert_eq!(again, 0, "{}", new);
    }
}
