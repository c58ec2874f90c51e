//! The JSON Schema of a configuration, for editors: made of the table of keys.

use serde_json::{Map, Value, json};

use super::keys::{ConfigKey, DAYS, KEYS, KeyType};

/// The schema (draft 7, which editors of TOML know best), as a text.
pub fn schema() -> String {
    let mut schema = object(KEYS);
    if let Value::Object(top) = &mut schema {
        top.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
        top.insert("title".to_owned(), json!("sundown.toml"));
        top.insert("description".to_owned(), json!("The configuration of sundown."));
    }
    format!("{schema:#}\n")
}

/// A table with these keys and no others.
fn object(keys: &[ConfigKey]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<&str> =
        keys.iter().filter(|key| key.default.is_none()).map(|key| key.name).collect();
    let mut object =
        json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if let (Value::Object(object), false) = (&mut object, required.is_empty()) {
        object.insert("required".to_owned(), json!(required));
    }
    object
}

fn property(key: &ConfigKey) -> Value {
    let mut schema = kind(key.kind);
    if let Value::Object(schema) = &mut schema {
        let default =
            key.default.map(|default| format!(" Default: {default}.")).unwrap_or_default();
        schema.insert("description".to_owned(), json!(format!("{}{default}", key.doc)));
    }
    schema
}

fn kind(kind: KeyType) -> Value {
    let texts = || json!({ "type": "array", "items": { "type": "string" } });
    match kind {
        KeyType::Text => json!({ "type": "string", "minLength": 1 }),
        KeyType::Texts => texts(),
        KeyType::OneOrMore => json!({ "anyOf": [{ "type": "string", "minLength": 1 }, texts()] }),
        KeyType::OneOf(names) => json!({ "type": "string", "enum": names }),
        KeyType::Levels => json!({ "type": "integer", "minimum": 1 }),
        KeyType::Times => json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
        KeyType::Days => {
            json!({ "type": "integer", "minimum": DAYS.start(), "maximum": DAYS.end() })
        }
        KeyType::Boolean => json!({ "type": "boolean" }),
        // TOML's own dates reach a validator as strings.
        KeyType::Date => json!({ "type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$" }),
        KeyType::Named(names) => json!({
            "type": "object",
            "additionalProperties": { "type": "string", "enum": names },
        }),
        KeyType::Tables(keys) => json!({ "type": "array", "items": object(keys) }),
    }
}
