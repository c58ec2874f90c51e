//! The places to look at, in the form that `places.py` writes.

use percent_encoding::percent_decode_str;
use rustc_hash::FxHashMap;

pub const EACH: &str = "*";
const ANY_DEPTH: &str = "..";

pub struct Selector {
    floating: bool,
    steps: Vec<String>,
}

/// By the name of the last step: most members of a body are passed over with one look-up.
pub type Wanted = FxHashMap<String, Vec<Selector>>;

#[derive(Default)]
pub struct Operation {
    pub deprecated: bool,
    pub request: Wanted,
    pub response: Wanted,
}

#[derive(Default)]
pub struct Table {
    literal: FxHashMap<String, Operation>,
    templates: FxHashMap<String, Operation>,
    pub opaque: Wanted,
}

impl Table {
    pub fn parse(text: &str) -> Self {
        let mut table = Self::default();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields.as_slice() {
                [_, "opaque", selector] => add(&mut table.opaque, selector),
                [operation, "operation", _] => table.at(operation).deprecated = true,
                [operation, "request", selector] => add(&mut table.at(operation).request, selector),
                [operation, "response", selector] => {
                    add(&mut table.at(operation).response, selector)
                }
                _ => {}
            }
        }
        table
    }

    fn at(&mut self, operation: &str) -> &mut Operation {
        let known = if operation.contains('{') { &mut self.templates } else { &mut self.literal };
        known.entry(operation.into()).or_default()
    }

    pub fn find(&self, method: &str, url: &str) -> Option<&Operation> {
        let path = percent_decode_str(path_of(url)).decode_utf8_lossy();
        let key = format!("{method} {path}");
        self.literal.get(&key).or_else(|| {
            self.templates.iter().find(|(known, _)| fits(known, &key)).map(|found| found.1)
        })
    }
}

fn add(wanted: &mut Wanted, text: &str) {
    let mut steps: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let floating = steps[0] == ANY_DEPTH;
    steps.drain(..usize::from(floating));
    let name = steps[steps.len() - 1].clone();
    wanted.entry(name).or_default().push(Selector { floating, steps });
}

fn path_of(url: &str) -> &str {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => url,
    };
    path.strip_suffix('/').unwrap_or(path)
}

fn fits(template: &str, got: &str) -> bool {
    let (mut known, mut got) = (template.split('/'), got.split('/'));
    loop {
        match (known.next(), got.next()) {
            (None, None) => return true,
            (Some(part), Some(other))
                if part == other || (part.starts_with('{') && !other.is_empty()) => {}
            _ => return false,
        }
    }
}

/// Returns whether the path's last member is one of these.
pub fn selected(wanted: &Wanted, path: &[&str]) -> bool {
    let Some(selectors) = path.last().and_then(|name| wanted.get(*name)) else { return false };
    selectors.iter().any(|Selector { floating, steps }| {
        let start = path.len().checked_sub(steps.len());
        start.is_some_and(|start| (*floating || start == 0) && path[start..].iter().eq(steps))
    })
}
