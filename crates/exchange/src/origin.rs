//! Where in code a call was made, or whose contract expects it, as far as its capture says.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use super::call_stack::{CallStack, is_foreign, is_library};
use super::code_place::{CodePlace, shown_name};
use super::span_code::{code_of_record, may_have_code};

/// The code that made a call, or the consumer that expects it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct CodeOrigin {
    /// The place of the call, and those of the functions that called it, innermost first; at most `MAX_FRAMES`. Libraries are
    /// left out, unless there is nothing else.
    pub frames: Vec<CodeFrame>,
    /// Whether the frame is in a library, because the whole call stack is.
    pub is_library: bool,
    /// The consumer whose contract expects the call, which has no place in code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumer: Option<Box<str>>,
}

/// A place in the code that ran, and the source code that it was built from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CodeFrame {
    /// The place in the source code, if a source map says it.
    pub source: Option<CodePlace>,
    /// The place in the code that ran.
    pub place: CodePlace,
}

/// A place in the source code from which a script was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSource {
    pub place: CodePlace,
    /// Whether the source map says that it is not the developer's own code.
    pub is_third_party: bool,
}

/// How many frames of a call stack an origin has: enough to see past wrappers around `fetch`.
const MAX_FRAMES: usize = 5;

/// Finds the source code from which scripts were built.
pub trait SourceLookup: std::fmt::Debug + Sync {
    /// Returns the place in the source code; `None` if it is not known.
    fn find_source(&self, script: &CodePlace) -> Option<FoundSource>;
}

/// The part of a capture that says where a call was made. It is parsed only for exchanges with findings.
#[derive(Debug, Clone, Default)]
pub struct RecordedOrigin<'a> {
    record: OriginRecord<'a>,
    found: OnceCell<Option<Arc<CodeOrigin>>>,
}

#[derive(Debug, Clone, Default)]
enum OriginRecord<'a> {
    #[default]
    Absent,
    /// A JSON value with the initiator of a request, as the `DevTools` protocol of Chrome describes it.
    Initiator(Cow<'a, [u8]>),
    /// A JSON record whose attributes may name code, as OpenTelemetry defines them.
    Attributes(Cow<'a, [u8]>),
    /// The name of the consumer whose contract has the call.
    Consumer(Arc<str>),
}

impl CodeFrame {
    /// The place to look at first: in the source code if it is known, or else in the code that ran.
    pub fn main_place(&self) -> &CodePlace {
        self.source.as_ref().unwrap_or(&self.place)
    }
}

impl CodeOrigin {
    /// The origin of a call with this stack: the innermost frames that are not in libraries, or else the innermost.
    fn of_stack(stack: &CallStack, sources: Option<&dyn SourceLookup>) -> Option<Self> {
        let mut frames = Vec::new();
        let mut innermost = None;
        for place in &stack.frames {
            let sources = sources.filter(|_| !is_foreign(&place.file));
            let found = sources.and_then(|sources| sources.find_source(place));
            let is_third_party = found.as_ref().is_some_and(|found| found.is_third_party);
            let source = found.map(|found| found.place);
            let frame = CodeFrame {
                source,
                place: place.clone(),
            };
            if is_third_party || is_library(&frame.main_place().file) {
                innermost.get_or_insert(frame);
                continue;
            }
            frames.push(frame);
            if frames.len() == MAX_FRAMES {
                break;
            }
        }
        let is_library = frames.is_empty();
        if is_library {
            frames.push(innermost?);
        }
        Some(Self {
            frames,
            is_library,
            consumer: None,
        })
    }
}

impl<'a> RecordedOrigin<'a> {
    /// Creates an origin from the initiator of a request, which is not parsed yet: the JSON object of the `DevTools`
    /// protocol of Chrome, or a string with its text or with the URL of a script.
    pub fn initiator(value: &'a [u8]) -> Self {
        let record = OriginRecord::Initiator(Cow::Borrowed(value));
        Self {
            record,
            found: OnceCell::new(),
        }
    }

    /// Creates an origin from a JSON record, which is not parsed yet, with the attributes of OpenTelemetry.
    pub fn attributes(record: &'a [u8]) -> Self {
        Self {
            record: OriginRecord::Attributes(Cow::Borrowed(record)),
            found: OnceCell::new(),
        }
    }

    /// Creates the origin of a call that the contract of this consumer expects.
    pub fn of_consumer(name: Arc<str>) -> Self {
        Self {
            record: OriginRecord::Consumer(name),
            found: OnceCell::new(),
        }
    }

    /// The name of the consumer whose contract has the call, if it is one.
    pub fn consumer(&self) -> Option<&str> {
        match &self.record {
            OriginRecord::Consumer(name) => Some(name),
            _ => None,
        }
    }

    /// Parses the origin at the first call; `None` if the capture does not have one.
    pub fn find(&self, sources: Option<&dyn SourceLookup>) -> Option<Arc<CodeOrigin>> {
        let found = self.found.get_or_init(|| {
            let stack = match &self.record {
                OriginRecord::Absent => CallStack::default(),
                OriginRecord::Initiator(value) => CallStack::parse(value),
                OriginRecord::Attributes(record) => CallStack {
                    frames: code_of_record(record).into_iter().collect(),
                },
                OriginRecord::Consumer(name) => {
                    let origin = CodeOrigin {
                        consumer: shown_name(name),
                        ..CodeOrigin::default()
                    };
                    return Some(Arc::new(origin)).filter(|origin| origin.consumer.is_some());
                }
            };
            CodeOrigin::of_stack(&stack, sources).map(Arc::new)
        });
        found.clone()
    }

    /// Copies what it borrows.
    pub fn to_owned(&self) -> RecordedOrigin<'static> {
        let record = match &self.record {
            OriginRecord::Absent => OriginRecord::Absent,
            OriginRecord::Initiator(value) => {
                OriginRecord::Initiator(Cow::Owned(value.clone().into_owned()))
            }
            // The record may be large.
            OriginRecord::Attributes(record) if may_have_code(record) => {
                OriginRecord::Attributes(Cow::Owned(record.clone().into_owned()))
            }
            OriginRecord::Attributes(_) => OriginRecord::Absent,
            OriginRecord::Consumer(name) => OriginRecord::Consumer(Arc::clone(name)),
        };
        RecordedOrigin {
            record,
            found: self.found.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Bundle;

    impl SourceLookup for Bundle {
        fn find_source(&self, script: &CodePlace) -> Option<FoundSource> {
            let (file, is_third_party) = match script.line? {
                1 => ("node_modules/axios/lib/xhr.js", false),
                2 => ("src/save.ts", false),
                3 => ("lib/client.ts", true),
                _ => return None,
            };
            let place = CodePlace {
                line: script.line,
                ..CodePlace::new(file)?
            };
            Some(FoundSource {
                place,
                is_third_party,
            })
        }
    }

    fn bundled(lines: &[u32]) -> Vec<u8> {
        let frame = |line: &u32| {
            format!(
                r#"{{"url":"https://h/app.js","lineNumber":{},"columnNumber":4}}"#,
                line - 1
            )
        };
        let frames: Vec<_> = lines.iter().map(frame).collect();
        format!(
            r#"{{"type":"script","stack":{{"callFrames":[{}]}}}}"#,
            frames.join(",")
        )
        .into_bytes()
    }

    fn describe(lines: &[u32], sources: Option<&dyn SourceLookup>) -> (Vec<String>, bool) {
        let stack = bundled(lines);
        let origin = RecordedOrigin::initiator(&stack).find(sources).unwrap();
        let describe = |frame: &CodeFrame| {
            let place = frame.main_place();
            format!("{}:{}", place.file, place.line.unwrap())
        };
        (
            origin.frames.iter().map(describe).collect(),
            origin.is_library,
        )
    }

    #[test]
    fn frames_that_a_source_map_places_in_a_library_are_skipped() {
        let app = |line: u32| format!("https://h/app.js:{line}");
        assert_eq!(describe(&[1, 2], None), (vec![app(1), app(2)], false));
        let frames = vec!["src/save.ts:2".to_owned(), app(4)];
        assert_eq!(describe(&[1, 3, 2, 4], Some(&Bundle)), (frames, false));
        let library = vec!["lib/client.ts:3".to_owned()];
        assert_eq!(describe(&[3, 1], Some(&Bundle)), (library, true));
        assert_eq!(describe(&[4, 5, 6, 7, 8, 9], None).0.len(), MAX_FRAMES);
    }
}
