//! Generates traffic of the service and rules, for benchmarks and for tests against slower programs.
//!
//! [`Traffic`] writes exchanges one by one, as lines of a log or as entries of an archive, and lists every deprecated
//! element that it planted; the rest of the traffic uses the same names where they are not deprecated. [`write_rules`] writes rules
//! files of any size. A seed determines all bytes; each record depends only on the seed and its number.
//!
//! Benchmarks, examples and tests include this module by its path; it is not a part of the library.

#![allow(
    dead_code,
    unused_imports,
    reason = "each crate that includes this uses a part of it"
)]

mod body;
mod chat;
mod content;
mod envelope;
mod governance;
mod indexing;
mod json;
mod operations;
mod parts;
mod plan;
mod random;
mod rules;
mod search;
mod words;

use body::Body;
use envelope::{Exchange, Nesting};
use json::Json;
use operations::Operation;
use plan::Slots;
use random::{Random, index, length};
use std::io::{self, Write};

pub(crate) use json::Layout;
pub(crate) use plan::{Side, Use};
pub(crate) use rules::write_rules;

/// The format of the traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// One exchange a line, as `pino-http` writes them; half of the bodies as JSON, half as strings.
    Ndjson,
    /// An HTTP Archive, with a few pages between the exchanges.
    Har,
    /// The calls alone, in the combined format of web servers.
    AccessLog,
}

/// Which traffic is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// The format of the file.
    pub(crate) format: Format,
    /// The layout of an archive; lines are always minified.
    pub(crate) layout: Layout,
    /// The percentage of exchanges with deprecated elements.
    pub(crate) hits: u32,
    /// Another seed is other traffic of the same kind.
    pub(crate) seed: u64,
}

/// The traffic: an endless row of records.
#[derive(Debug)]
pub(crate) struct Traffic {
    settings: Settings,
    next: u64,
    request: Body,
    response: Body,
    envelope: Json,
    uses: Vec<Use>,
}

impl Traffic {
    /// The traffic from its first record on.
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            next: 0,
            request: Body::new(Side::Request),
            response: Body::new(Side::Response),
            // Entries are in an array in an object in an object.
            envelope: Json::new(Layout::Minified, 3),
            uses: Vec::new(),
        }
    }

    /// Writes a complete file of at least this many bytes, ending after a record, and
    /// each planted element to `truth` as a line of JSON. Returns the number of records.
    pub(crate) fn write(
        mut self,
        bytes: u64,
        out: &mut impl Write,
        truth: &mut impl Write,
    ) -> io::Result<u64> {
        let around = Around::of(self.settings);
        let mut written = around.opening.len();
        out.write_all(around.opening.as_bytes())?;
        while u64::try_from(written).unwrap_or(u64::MAX) < bytes {
            let number = self.next;
            let (record, uses) = self.record();
            for planted in uses {
                write_truth(truth, number, planted)?;
            }
            let before = if number == 0 {
                around.first
            } else {
                around.next
            };
            out.write_all(before.as_bytes())?;
            out.write_all(record)?;
            written += before.len() + record.len();
        }
        out.write_all(around.closing.as_bytes())?;
        Ok(self.next)
    }

    /// The next record, a line with its line break or an entry without what separates it from others, and the
    /// deprecated elements in it.
    pub(crate) fn record(&mut self) -> (&[u8], &[Use]) {
        let number = self.next;
        self.next += 1;
        self.uses.clear();
        let har = self.settings.format == Format::Har;
        let mut random = Random::new(self.settings.seed, number, 0);
        self.envelope.restart(if har {
            self.settings.layout
        } else {
            Layout::Minified
        });
        if har && random.once_in(50) {
            envelope::write_page_entry(&mut self.envelope, &mut random, number);
        } else {
            self.exchange(&mut random, number);
        }
        (&self.envelope.out, &self.uses)
    }

    fn exchange(&mut self, random: &mut Random, number: u64) {
        let hit = random.below(100) < self.settings.hits;
        let operation = operations::choose(random, hit);
        let (nesting_of_request, nesting_of_response) = self.nestings(random);
        let size = index(random.between(2000, 7600));
        let wanted = if hit {
            choose_slots(random, operation)
        } else {
            [Slots::NONE; 2]
        };

        self.uses.extend(operation.rule.map(|rule| Use {
            operation: operation.name,
            side: Side::Operation,
            pointer: None,
            rule,
            inside: None,
        }));
        if self.settings.format == Format::AccessLog {
            let call = Exchange {
                number,
                operation,
                request: None,
                response: &[],
            };
            return call.write_access(&mut self.envelope, random, size);
        }
        let mut request = None;
        if let Some(content) = operation.request {
            let layout = layout_of_body(random, nesting_of_request);
            let source = Random::new(self.settings.seed, number, 1);
            self.request
                .restart(operation.name, operation.everywhere, layout, source);
            self.request.write(content, wanted[0], size);
            self.uses.append(&mut self.request.uses);
            request = Some(self.request.json.out.as_slice());
        }
        let rest = size.saturating_sub(request.map_or(0, <[u8]>::len));
        let layout = layout_of_body(random, nesting_of_response);
        let source = Random::new(self.settings.seed, number, 2);
        self.response
            .restart(operation.name, operation.everywhere, layout, source);
        self.response.write(operation.response, wanted[1], rest);
        self.uses.append(&mut self.response.uses);

        let response = self.response.json.out.as_slice();
        let exchange = Exchange {
            number,
            operation,
            request,
            response,
        };
        let envelope = &mut self.envelope;
        match self.settings.format {
            Format::Ndjson => {
                exchange.write_line(envelope, random, nesting_of_request, nesting_of_response);
            }
            Format::Har => exchange.write_entry(envelope, random, self.settings.layout),
            // It has no bodies, and has been written.
            Format::AccessLog => {}
        }
    }

    /// The representations of the two bodies in the record: the same in three of four lines, mixed in the fourth.
    fn nestings(&self, random: &mut Random) -> (Nesting, Nesting) {
        if self.settings.format == Format::Har {
            return (Nesting::Text, Nesting::Text);
        }
        match random.below(8) {
            0..3 => (Nesting::Value, Nesting::Value),
            3..6 => (Nesting::Text, Nesting::Text),
            6 => (Nesting::Value, Nesting::Text),
            _ => (Nesting::Text, Nesting::Value),
        }
    }
}

/// Some services indent their JSON. A body that is embedded as JSON must not contain a line break.
fn layout_of_body(random: &mut Random, nesting: Nesting) -> Layout {
    let indented = random.once_in(16);
    if indented && nesting == Nesting::Text {
        Layout::Indented
    } else {
        Layout::Minified
    }
}

/// Chooses the slots to plant in the request and in the response: mostly one, sometimes two or three.
fn choose_slots(random: &mut Random, operation: &Operation) -> [Slots; 2] {
    let mut wanted = [Slots::NONE; 2];
    let request = operation.request_slots.iter().map(|slot| (0, slot));
    let places: Vec<_> = request
        .chain(operation.response_slots.iter().map(|slot| (1, slot)))
        .collect();
    // A deprecated operation is a use already.
    let count = match random.below(10) {
        0..5 if operation.rule.is_some() => 0,
        0..7 => 1,
        7..9 => 2,
        _ => 3,
    };
    for _ in 0..count {
        if let Some(&(side, slot)) = places.get(index(random.below(length(&places)))) {
            wanted[side].insert(slot);
        }
    }
    wanted
}

/// The text around the records.
struct Around {
    opening: &'static str,
    first: &'static str,
    next: &'static str,
    closing: &'static str,
}

impl Around {
    fn of(settings: Settings) -> Self {
        match (settings.format, settings.layout) {
            (Format::Ndjson | Format::AccessLog, _) => Self {
                opening: "",
                first: "",
                next: "",
                closing: "",
            },
            (Format::Har, Layout::Minified) => Self {
                opening: concat!(
                    r#"{"log":{"version":"1.2","creator":{"name":"console","version":"4.2"},"#,
                    r#""pages":[],"entries":["#
                ),
                first: "",
                next: ",",
                closing: "]}}\n",
            },
            (Format::Har, Layout::Indented) => Self {
                opening: concat!(
                    "{\n  \"log\": {\n    \"version\": \"1.2\",\n    \"creator\": {\n",
                    "      \"name\": \"console\",\n      \"version\": \"4.2\"\n    },\n",
                    "    \"pages\": [],\n    \"entries\": ["
                ),
                first: "\n      ",
                next: ",\n      ",
                closing: "\n    ]\n  }\n}\n",
            },
        }
    }
}

/// Writes a planted element as a line of JSON. Nothing in it needs an escape.
fn write_truth(out: &mut impl Write, record: u64, planted: &Use) -> io::Result<()> {
    let Use {
        operation,
        side,
        pointer,
        rule,
        inside,
    } = planted;
    let side = side.name();
    write!(
        out,
        r#"{{"record":{record},"operation":"{operation}","side":"{side}","pointer":"#
    )?;
    match pointer {
        Some(pointer) => write!(out, r#""{pointer}""#)?,
        None => write!(out, "null")?,
    }
    write!(out, r#","rule":"{rule}""#)?;
    if let Some(outer) = inside {
        write!(out, r#","inside":"{outer}""#)?;
    }
    writeln!(out, "}}")
}
