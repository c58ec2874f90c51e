//! `[[log]]`: where the records of logs in a shape of their own keep the pieces of an exchange, or in which order their
//! lines have them.

use super::read::glob_list;
use crate::formats::{LogFormat, LogMapping, MessageMapping};
use crate::json::pointer::{Pointer, PointerError};
use crate::toml_file::{Mistake, TableReader, WithSpan};

pub(super) fn read(mut fields: TableReader<'_, '_>) -> Option<LogMapping> {
    let is_said = fields.has("files");
    let files = if is_said { glob_list("files", &mut fields) } else { ask("files", &mut fields) };
    let format = format(&mut fields);
    let mapping = LogMapping {
        files,
        format,
        method: pointer("method", &mut fields),
        url: pointer("url", &mut fields),
        path: pointer("path", &mut fields),
        query: pointer("query", &mut fields),
        host: pointer("host", &mut fields),
        status: pointer("status", &mut fields),
        started: pointer("started", &mut fields),
        request: MessageMapping {
            headers: pointer("request-headers", &mut fields),
            body: pointer("request-body", &mut fields),
        },
        response: MessageMapping {
            headers: pointer("response-headers", &mut fields),
            body: pointer("response-body", &mut fields),
        },
    };
    if !["url", "path", FORMAT].iter().any(|key| fields.has(key)) {
        let span = fields.span.clone();
        let mistake = Mistake::missing(span, "neither `url` nor `path` nor `log-format` is given");
        fields.add_mistake(mistake.with_help(
            "say where the URL stands: url = \"/http/url\"; or in which order lines that are no JSON have their fields",
        ));
    }
    fields.finish();
    // A list of files that cannot be read is not all of them.
    (mapping.files.is_some() || !is_said).then_some(mapping)
}

/// In which order lines have their fields, as the configuration of their server says it.
const FORMAT: &str = "log-format";

fn format(fields: &mut TableReader<'_, '_>) -> Option<LogFormat> {
    let WithSpan { value, span } = fields.string(FORMAT)?;
    match LogFormat::parse(value) {
        Ok(format) => Some(format),
        Err(error) => {
            let mistake = Mistake::new(span, format!("`{FORMAT}`: {error}"));
            fields.add_mistake(mistake.with_help(error.help()));
            None
        }
    }
}

/// Has a key known that is not there.
fn ask<T>(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<T> {
    let _ = fields.one_or_more(key);
    None
}

fn pointer(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<Pointer> {
    let WithSpan { value, span } = fields.string(key)?;
    match Pointer::parse(value) {
        Ok(pointer) => Some(pointer),
        Err(error) => {
            let mistake = Mistake::new(span, format!("`{key}`: {error}"));
            fields.add_mistake(match error {
                PointerError::NoSlash => mistake.with_help(format!("write {}", meant(value))),
                PointerError::Tilde => mistake,
            });
            None
        }
    }
}

/// The pointer that a dotted path, or a name, seems to mean.
fn meant(text: &str) -> String {
    let path = text.strip_prefix("$.").unwrap_or(text);
    let parts: Vec<&str> = path.split('.').filter(|part| !part.is_empty()).collect();
    format!("\"/{}\"", parts.join("/"))
}
