//! Where in code a call was made, or whose contract expects it, as far as its capture says.

use std::cell::OnceCell;
use std::sync::Arc;

use super::call_stack::{frames_of_initiator, is_library};
use super::code_location::{CodeLocation, shown_name};
use super::span_code::code_of_record;

/// The code that made a call, or the consumer that expects it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CodeOrigin {
    /// The place of the call, and those of the functions that called it, innermost first; at most `MAX_FRAMES`. Libraries are
    /// left out, unless there is nothing else.
    pub frames: Vec<CodeLocation>,
    /// Whether the frame is in a library, because the whole call stack is.
    pub is_library: bool,
    /// The consumer whose contract expects the call, which has no place in code.
    pub consumer: Option<Box<str>>,
}

/// How many frames of a call stack an origin has: enough to see past wrappers around `fetch`.
const MAX_FRAMES: usize = 5;

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
    Initiator(&'a [u8]),
    /// A JSON record whose attributes may name code, as OpenTelemetry defines them.
    Attributes(&'a [u8]),
    /// The name of the consumer whose contract has the call.
    Consumer(Arc<str>),
}

impl CodeOrigin {
    /// The origin of a call with this stack: the innermost frames that are not in libraries, or else the innermost.
    fn of_stack(mut frames: Vec<CodeLocation>) -> Option<Self> {
        let is_library = frames.iter().all(|place| is_library(&place.file));
        frames.retain(|place| is_library || !self::is_library(&place.file));
        frames.truncate(if is_library { 1 } else { MAX_FRAMES });
        (!frames.is_empty()).then_some(Self {
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
        Self::of(OriginRecord::Initiator(value))
    }

    /// Creates an origin from a JSON record, which is not parsed yet, with the attributes of OpenTelemetry.
    pub fn attributes(record: &'a [u8]) -> Self {
        Self::of(OriginRecord::Attributes(record))
    }

    /// Creates the origin of a call that the contract of this consumer expects.
    pub fn of_consumer(name: Arc<str>) -> Self {
        Self::of(OriginRecord::Consumer(name))
    }

    fn of(record: OriginRecord<'a>) -> Self {
        Self {
            record,
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
    pub fn find(&self) -> Option<Arc<CodeOrigin>> {
        let found = self.found.get_or_init(|| {
            let frames = match &self.record {
                OriginRecord::Absent => Vec::new(),
                OriginRecord::Initiator(value) => frames_of_initiator(value),
                OriginRecord::Attributes(record) => code_of_record(record).into_iter().collect(),
                OriginRecord::Consumer(name) => {
                    let origin = CodeOrigin {
                        consumer: shown_name(name),
                        ..CodeOrigin::default()
                    };
                    return Some(Arc::new(origin)).filter(|origin| origin.consumer.is_some());
                }
            };
            CodeOrigin::of_stack(frames).map(Arc::new)
        });
        found.clone()
    }

    /// Finds the origin, which then needs no record.
    pub fn to_owned(&self) -> RecordedOrigin<'static> {
        let record = match &self.record {
            OriginRecord::Consumer(name) => OriginRecord::Consumer(Arc::clone(name)),
            _ => OriginRecord::Absent,
        };
        RecordedOrigin {
            record,
            found: self.find().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_the_innermost_frames_outside_of_libraries() {
        let origin = |scripts: &[&str]| {
            let frame = |script: &&str| format!(r#"{{"url":"https://h/{script}.js"}}"#);
            let frames: Vec<_> = scripts.iter().map(frame).collect();
            let stack = format!(r#"{{"stack":{{"callFrames":[{}]}}}}"#, frames.join(","));
            let origin = RecordedOrigin::initiator(stack.as_bytes()).find().unwrap();
            let place =
                |place: &CodeLocation| place.file.trim_start_matches("https://h/").to_owned();
            let places: Vec<_> = origin.frames.iter().map(place).collect();
            (places.join(" "), origin.is_library)
        };
        assert_eq!(
            origin(&["vendor", "a", "vendor", "b"]),
            ("a.js b.js".to_owned(), false)
        );
        assert_eq!(
            origin(&["vendor", "vendors"]),
            ("vendor.js".to_owned(), true)
        );
        assert_eq!(origin(&["a"; 9]), (["a.js"; MAX_FRAMES].join(" "), false));
    }
}
