//! HTTP exchanges, as captures and logs have them.
//!
//! An [`Exchange`] is a call with its request and its response. It borrows the bytes of its file and keeps the position of every
//! piece: a [`Target`], header fields, and a [`Body`] with its codings, which are undone when it is read. Header fields that
//! announce deprecations are [`Signal`]s, and what cannot be read is a [`Skip`] with a [`Reason`].
//!
//! ```
//! use sundown_exchange::Target;
//!
//! let target = Target::parse("https://api.example.com/v1/orders?limit=5");
//! assert_eq!(target.segments, ["v1", "orders"]);
//! assert_eq!(target.parameters[0].name, "limit");
//! ```
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

mod body;
mod byte_text;
mod call_record;
mod call_stack;
mod code_location;
mod coding;
mod content;
mod exchange;
mod form;
mod form_json;
mod header;
mod header_fields;
mod host;
mod json_patch;
mod kubernetes_names;
mod lazy;
mod operation;
mod origin;
mod record;
mod record_place;
mod side;
mod signal;
mod skip;
mod skip_texts;
mod span_code;
mod status_code;
mod target;
mod unpacking_budget;
mod words;

pub use body::{Body, BodyMap, Decoded, Encoding};
pub use byte_text::{decode_base64, hex_bytes, may_be_other_notation, may_be_rpc_batch};
pub use call_record::{CallRecord, RecordPart, RecordRole};
pub use code_location::CodeLocation;
pub use coding::{ContentCoding, MaxExpansion};
pub use content::Content;
pub use exchange::{Call, CallPiece, CallSource, Exchange, Message, Unread};
pub use form::{FormField, FormFields, FormKind, MappedText};
pub use form_json::FormJson;
pub use header::{HeaderField, HeaderValue, bare_media_type, may_name_header};
pub use header_fields::{
    HeaderFields, NamedNode, are_disabled, has_header, host, is_disabled, is_flat_header, is_off,
    pseudo_header,
};
pub use host::{Host, HostPattern};
pub use json_patch::{may_be_json_patch, writes_members};
pub use kubernetes_names::{is_api_version, resource_name};
pub use lazy::Lazy;
pub use operation::{Method, OperationPattern, PathVariable, PatternSegment, SegmentTemplate};
pub use operation::{expand_variables, is_token};
pub use origin::{CodeOrigin, RecordedOrigin};
pub use record::{InvalidRecord, Record, RecordSink};
pub use record_place::{RecordPlace, RecordValue, with_content};
pub use side::Side;
pub use signal::{
    ElementKind, Relation, Removal, Signal, SignalElement, SignalField, SignalKind, plain_release,
    signals, unread_announcement,
};
pub use skip::{Reason, Skip, SkipKind, detail_in_one_line};
pub use status_code::StatusCode;
pub use target::{QueryParameter, Target, parameter_positions};
pub use unpacking_budget::UnpackingBudget;
