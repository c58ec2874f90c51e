//! The peers' job (`places.py`) on sonic-rs: prints how many uses a capture has.
//!
//! Usage: `sonic-peer PLACES ndjson|har FILE`
//!
//! It reads only method, URL and the positions of the bodies of a record, and parses a body only if its operation has places.

mod table;

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Error};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use sonic_rs::{JsonContainerTrait, JsonValueTrait, LazyValue, Value};
use table::{EACH, Table, Wanted};

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, places, format, file] = arguments.as_slice() else {
        return Err(Error::other("usage: sonic-peer PLACES ndjson|har FILE"));
    };
    let table = Table::parse(&std::fs::read_to_string(places)?);
    let uses = if format == "har" { har(&table, file)? } else { ndjson(&table, file)? };
    println!("{uses}");
    Ok(())
}

fn ndjson(table: &Table, file: &str) -> Result<usize, Error> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(file)?);
    let (mut line, mut uses) = (Vec::new(), 0);
    while file.read_until(b'\n', &mut line)? > 0 {
        uses += sonic_rs::from_slice(&line).map_or(0, |record: Record| record.uses(table));
        line.clear();
    }
    Ok(uses)
}

fn har(table: &Table, file: &str) -> Result<usize, Error> {
    let text = std::fs::read(file)?;
    let archive: Archive = sonic_rs::from_slice(&text).map_err(Error::other)?;
    Ok(archive.log.entries.into_iter().map(|entry| entry.uses(table)).sum())
}

/// A line of the log.
#[derive(Deserialize)]
struct Record<'t> {
    #[serde(borrow)]
    req: Message<'t>,
    #[serde(borrow, default)]
    res: Message<'t>,
}

#[derive(Deserialize, Default)]
struct Message<'t> {
    #[serde(borrow, default)]
    method: Cow<'t, str>,
    #[serde(borrow, default)]
    url: Cow<'t, str>,
    #[serde(borrow)]
    body: Option<LazyValue<'t>>,
}

#[derive(Deserialize)]
struct Archive<'t> {
    #[serde(borrow)]
    log: Log<'t>,
}

#[derive(Deserialize)]
struct Log<'t> {
    #[serde(borrow)]
    entries: Vec<Entry<'t>>,
}

#[derive(Deserialize)]
struct Entry<'t> {
    #[serde(borrow)]
    request: Request<'t>,
    #[serde(borrow, default)]
    response: Response<'t>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request<'t> {
    #[serde(borrow)]
    method: Cow<'t, str>,
    #[serde(borrow)]
    url: Cow<'t, str>,
    #[serde(borrow)]
    post_data: Option<Content<'t>>,
}

#[derive(Deserialize, Default)]
struct Response<'t> {
    #[serde(borrow)]
    content: Option<Content<'t>>,
}

#[derive(Deserialize)]
struct Content<'t> {
    #[serde(borrow)]
    text: Option<LazyValue<'t>>,
    #[serde(borrow, default)]
    encoding: Cow<'t, str>,
}

impl Record<'_> {
    fn uses(self, table: &Table) -> usize {
        table.find(&self.req.method, &self.req.url).map_or(0, |operation| {
            usize::from(operation.deprecated)
                + body(self.req.body, &operation.request, &table.opaque)
                + body(self.res.body, &operation.response, &table.opaque)
        })
    }
}

impl Entry<'_> {
    fn uses(self, table: &Table) -> usize {
        table.find(&self.request.method, &self.request.url).map_or(0, |operation| {
            usize::from(operation.deprecated)
                + content(self.request.post_data, &operation.request, &table.opaque)
                + content(self.response.content, &operation.response, &table.opaque)
        })
    }
}

fn content(content: Option<Content>, wanted: &Wanted, opaque: &Wanted) -> usize {
    let Some(Content { text: Some(value), encoding }) = content else { return 0 };
    if encoding != "base64" || wanted.is_empty() {
        return body(Some(value), wanted, opaque);
    }
    let bytes = value.as_str().and_then(|text| STANDARD.decode(text).ok()).unwrap_or_default();
    text(&String::from_utf8_lossy(&bytes), wanted, opaque)
}

fn body(value: Option<LazyValue>, wanted: &Wanted, opaque: &Wanted) -> usize {
    let Some(value) = value.filter(|_| !wanted.is_empty()) else { return 0 };
    match value.as_str() {
        Some(held) => text(held, wanted, opaque),
        None => document(value.as_raw_str(), wanted, opaque).unwrap_or(0),
    }
}

/// The uses in a body inside a string: one value, or several, one per line or event.
fn text(text: &str, wanted: &Wanted, opaque: &Wanted) -> usize {
    let lines = || text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line));
    let uses = |text: &str| document(text, wanted, opaque);
    uses(text).unwrap_or_else(|| lines().filter_map(uses).sum())
}

/// The uses in a text that is one JSON value.
fn document(text: &str, wanted: &Wanted, opaque: &Wanted) -> Option<usize> {
    let value: Value = sonic_rs::from_str(text).ok()?;
    Some(walk(&value, &mut Vec::new(), wanted, opaque))
}

fn walk<'v>(value: &'v Value, path: &mut Vec<&'v str>, wanted: &Wanted, opaque: &Wanted) -> usize {
    let mut uses = 0;
    if let Some(object) = value.as_object() {
        for (key, child) in object {
            path.push(key);
            uses += usize::from(table::selected(wanted, path));
            if !table::selected(opaque, path) {
                uses += walk(child, path, wanted, opaque);
            }
            path.pop();
        }
    } else if let Some(array) = value.as_array() {
        path.push(EACH);
        for child in array {
            uses += walk(child, path, wanted, opaque);
        }
        path.pop();
    }
    uses
}
