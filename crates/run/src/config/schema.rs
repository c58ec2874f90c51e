//! The JSON Schema of a configuration, for editors; generated from the keys.

use serde_json::{Map, Value, json};

use super::keys::{ConfigKey, DAYS, KeyType, TABLES};
use super::settings::SETTINGS;

/// Returns the schema as text, in draft 7, which most TOML editors support.
pub fn schema() -> String {
    let settings = SETTINGS.iter().map(|setting| setting.key);
    let mut schema = object_schema(settings.chain(TABLES.iter().copied()));
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["$id"] = json!("urn:sundown:schema:config");
    schema["title"] = json!("sundown.toml");
    schema["description"] = json!("The configuration of sundown.");
    format!("{schema:#}\n")
}

/// Describes a table with these keys and no others.
fn object_schema(keys: impl Iterator<Item = ConfigKey>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for key in keys {
        let mut property = type_schema(key.key_type);
        property["description"] = json!(key.full_doc());
        properties.insert(key.name.to_owned(), property);
        required.extend(key.default.is_none().then_some(key.name));
    }
    let mut object =
        json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn type_schema(key_type: KeyType) -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    match key_type {
        KeyType::Text | KeyType::Path => json!({ "type": "string", "minLength": 1 }),
        KeyType::Texts | KeyType::Paths | KeyType::Outputs => texts,
        KeyType::OneOrMore => json!({ "anyOf": [{ "type": "string", "minLength": 1 }, texts] }),
        KeyType::OneOf(names) => json!({ "type": "string", "enum": names }),
        KeyType::Levels => json!({ "type": "integer", "minimum": 1 }),
        KeyType::Factor => json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
        KeyType::Days => {
            json!({ "type": "integer", "minimum": DAYS.start(), "maximum": DAYS.end() })
        }
        KeyType::Boolean => json!({ "type": "boolean" }),
        // Validators receive TOML dates as strings.
        KeyType::Date => json!({ "type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$" }),
        KeyType::Named(names) => json!({
            "type": "object",
            "additionalProperties": { "type": "string", "enum": names },
        }),
        KeyType::Tables(keys) => {
            json!({ "type": "array", "items": object_schema(keys.iter().copied()) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_knows_every_key_and_no_other() {
        let text = schema();
        let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        let keys = || {
            SETTINGS
                .iter()
                .map(|setting| setting.key)
                .chain(TABLES.iter().copied())
        };
        for key in keys() {
            assert!(properties.contains_key(key.name), "{}", key.name);
        }
        assert_eq!(properties.len(), keys().count());
        assert_eq!(schema["additionalProperties"], false);
        let payload = &schema["properties"]["payload"]["items"];
        assert_eq!(
            payload["required"],
            serde_json::json!(["files", "operation"])
        );
    }
}
