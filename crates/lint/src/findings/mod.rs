//! A finding: one deprecated element in use, at one location.
//!
//! It holds no value from the input, only names of members, pointers, path templates and positions.

mod announced;
mod check;
mod declared;
mod evidence;
mod finding;
mod fingerprint;
mod message;
mod origins;
mod parts;
mod remark;
mod requirement;
pub mod suppression;

pub use announced::{Announced, RuleAgreement};
pub use check::{Check, CheckGrades};
pub use declared::{AffectedOperation, Declared};
pub use evidence::{CodeRange, Evidence, Period, Tally, UseOutcome};
pub use finding::{
    Finding, FindingKind, FoldKey, Occurrence, ReplacementState, Sightings, UseKind,
};
pub use fingerprint::{Identity, digest};
pub(crate) use message::replacement_advice;
pub use origins::{Origins, call_chain};
pub(crate) use parts::MAX_PARENT_BYTES;
pub use parts::{Certainty, ExcerptParts, ExchangePart, ExchangeRef, Related};
pub use remark::{RemarkKind, RunRemark};
pub use requirement::{Observation, RequirementViolation};
