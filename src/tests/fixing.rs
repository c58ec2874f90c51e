//! Fixes of random documents, beside an evaluator that knows values only: each file is the old value with just the intended change, and
//! a second run has nothing to do.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::Value;

use super::support::day;
use crate::tests::support::Files;
use sundown_captures::Gauge;
use sundown_lint::InnerElements;
use sundown_lint::rules::{Lifecycle, RuleFile, RuleTable};
use sundown_run::{Backup, CheckOptions, EditRefusal, FixLevel, fix_files};

const RULES: &str = "api = 'Shop'\n\
    [[rule]]\nid = 'old'\noperation = 'POST /v1/orders'\nfield = 'old'\nat = ['$..old']\n\
    fix = { rename = 'new', safe = true }\n\
    [[rule]]\nid = 'colour'\noperation = 'POST /v1/orders'\nfield = 'colour'\nvalue = 'red'\nat = ['$..colour']\n\
    fix = { set = 'dark-red', safe = true }\n\
    [[rule]]\nid = 'gone'\noperation = 'POST /v1/orders'\nfield = 'gone'\nat = ['$..gone']\n\
    fix = { remove = true, safe = true }\n";

/// A JSON value, with the way in which its keys are written.
#[derive(Debug, Clone)]
enum Json {
    Scalar(&'static str),
    Array(Vec<Json>),
    Object(Vec<Member>),
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
    /// As JSON in a contract.
    Contract,
    /// As an example in an API description.
    Description,
    /// As a string in a collection, where no member can be removed.
    Collection,
}

impl Json {
    /// Writes the value, with some white space.
    fn write(&self, space: &str, out: &mut String) {
        match self {
            Self::Scalar(text) => out.push_str(text),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    out.push_str(space);
                    item.write(space, out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, member) in members.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    let (first, rest) = member.name.split_at(1);
                    let first = if member.is_escaped {
                        format!("\\u{:04x}", u32::from(first.chars().next().unwrap()))
                    } else {
                        first.to_owned()
                    };
                    let _ = write!(out, "{space}\"{first}{rest}\"{space}:");
                    out.push_str(space);
                    member.value.write(space, out);
                    out.push_str(space);
                }
                out.push('}');
            }
        }
    }

    /// Whether an edit is made somewhere in the value, if it is looked at alone.
    fn has_edit(&self, place: Place) -> bool {
        match self {
            Self::Scalar(_) => false,
            Self::Array(items) => items.iter().any(|item| item.has_edit(place)),
            Self::Object(members) => members.iter().any(|member| {
                let is_free = members.iter().all(|other| other.name != "new");
                let has_own = !member.is_escaped
                    && match member.name {
                        "old" => is_free,
                        "colour" => member.is_red(),
                        "gone" => place != Place::Collection,
                        _ => false,
                    };
                has_own || member.value.has_edit(place)
            }),
        }
    }

    /// The value after the fixes.
    fn fixed(&self, place: Place) -> Value {
        match self {
            Self::Scalar(text) => serde_json::from_str(text).unwrap(),
            Self::Array(items) => items.iter().map(|item| item.fixed(place)).collect(),
            Self::Object(members) => {
                let is_free = members.iter().all(|other| other.name != "new");
                let fixed = members.iter().filter_map(|member| {
                    let Member {
                        name,
                        is_escaped,
                        value,
                    } = member;
                    let named = |name: &str, value| Some((name.to_owned(), value));
                    match *name {
                        _ if *is_escaped => named(name, value.fixed(place)),
                        "old" if is_free => named("new", value.fixed(place)),
                        "colour" if member.is_red() => named(name, "dark-red".into()),
                        // Edits inside of what is removed touch it.
                        "gone" if place != Place::Collection && value.has_edit(place) => {
                            named(name, value.plain())
                        }
                        "gone" if place != Place::Collection => None,
                        _ => named(name, value.fixed(place)),
                    }
                });
                Value::Object(fixed.collect())
            }
        }
    }

    fn plain(&self) -> Value {
        let mut text = String::new();
        self.write("", &mut text);
        serde_json::from_str(&text).unwrap()
    }
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
        let names = vec!["old", "new", "gone", "colour", "x", "olde"];
        let names = prop::sample::subsequence(names, 0..5).prop_shuffle();
        let members = names.prop_flat_map(move |names| {
            let member = (inner.clone(), prop::bool::weighted(0.1));
            prop::collection::vec(member, names.len()).prop_map(move |values| {
                let members = names.iter().zip(values);
                let members = members.map(|(name, (value, is_escaped))| Member {
                    name,
                    is_escaped,
                    value,
                });
                members.collect::<Vec<_>>()
            })
        });
        prop_oneof![
            3 => members.clone().prop_map(Json::Object),
            1 => prop::collection::vec(members.prop_map(Json::Object), 0..3).prop_map(Json::Array),
        ]
    })
}

/// A file with these bodies.
fn file(place: Place, bodies: &[String]) -> String {
    let items: Vec<String> = bodies
        .iter()
        .enumerate()
        .map(|(number, body)| match place {
            Place::Description => format!("\"{number}\":{{\"value\":{body}}}"),
            Place::Contract => format!(
                "{{\"description\":\"x\",\"request\":{{\"method\":\"POST\",\"path\":\"/v1/orders\",\"body\":{body}}},\
                \"response\":{{\"status\":200}}}}"
            ),
            Place::Collection => format!(
                "{{\"name\":\"x\",\"request\":{{\"method\":\"POST\",\"url\":\"https://shop.example/v1/orders\",\
                \"body\":{{\"mode\":\"raw\",\"raw\":{}}}}}}}",
                Value::from(body.as_str())
            ),
        })
        .collect();
    let items = items.join(",\n");
    match place {
        Place::Description => format!(
            "{{\"openapi\":\"3.1.0\",\"info\":{{\"title\":\"x\",\"version\":\"1\"}},\"paths\":{{\"/v1/orders\":{{\"post\":\
            {{\"requestBody\":{{\"content\":{{\"application/json\":{{\"examples\":{{{items}}}}}}}}}}}}}}}}}"
        ),
        Place::Contract => format!(
            "{{\"consumer\":{{\"name\":\"a\"}},\"provider\":{{\"name\":\"b\"}},\"interactions\":[{items}],\
            \"metadata\":{{\"pactSpecification\":{{\"version\":\"2.0.0\"}}}}}}"
        ),
        Place::Collection => format!(
            "{{\"info\":{{\"name\":\"x\",\
            \"schema\":\"https://schema.getpostman.com/json/collection/v2.1.0/collection.json\"}},\"item\":[{items}]}}"
        ),
    }
}

/// The bodies in a file.
fn bodies(place: Place, text: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(text).unwrap();
    match place {
        Place::Description => {
            let post = &document["paths"]["/v1/orders"]["post"];
            let examples = &post["requestBody"]["content"]["application/json"]["examples"];
            let numbers = 0..examples.as_object().unwrap().len();
            numbers
                .map(|number| examples[number.to_string()]["value"].clone())
                .collect()
        }
        Place::Contract => document["interactions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["request"]["body"].clone())
            .collect(),
        Place::Collection => document["item"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                serde_json::from_str(one["request"]["body"]["raw"].as_str().unwrap()).unwrap()
            })
            .collect(),
    }
}

fn cases() -> ProptestConfig {
    let cases = if std::env::var_os("SUNDOWN_TESTS").is_some_and(|all| all == "full") {
        5000
    } else {
        40
    };
    ProptestConfig::with_cases(cases)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_fixed_file_is_the_old_value_with_the_intended_change(
        values in prop::collection::vec(json(), 20),
        space in prop::sample::select(vec!["", " ", "\n\t", "\r\n"]),
        place in prop::sample::select(vec![Place::Contract, Place::Description, Place::Collection]),
    ) {
        let texts: Vec<String> = values
            .iter()
            .map(|value| {
                let mut text = String::new();
                value.write(space, &mut text);
                text
            })
            .collect();
        let old = file(place, &texts);
        let files = Files::new().with("a.json", &old);
        let table = RuleTable::new(vec![RuleFile::parse("shop.toml", RULES).unwrap()]).unwrap();
        let options = CheckOptions {
            fold: false,
            inner: InnerElements::Separate,
            ..CheckOptions::new(vec![files.path("a.json")], &table, Lifecycle::on(day()))
        };
        let fix = || {
            let mut edits = 0;
            // Examples may be those of other operations, too.
            let level = match place {
                Place::Description => FixLevel::Unsafe,
                Place::Contract | Place::Collection => FixLevel::Safe,
            };
            let outcome = fix_files(&options, level, &Gauge::default(), &mut |changed| {
                edits += changed.edits.len();
                changed.write(Backup::None).map_err(|error| EditRefusal::System(error.to_string()))
            });
            (edits, outcome.left)
        };
        let (_, left) = fix();
        prop_assume!(left.iter().all(|left| left.refusal != EditRefusal::Unsearched));
        let new = std::fs::read_to_string(files.path("a.json")).unwrap();
        let expected: Vec<Value> = values.iter().map(|value| value.fixed(place)).collect();
        prop_assert_eq!(bodies(place, &new), expected, "{}\n{}", old, new);
        let (again, _) = fix();
        prop_assert_eq!(again, 0, "{}", new);
    }
}
