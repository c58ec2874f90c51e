//! Shapes of records: which members have the pieces of a call. They are data, in the language in which users write their own.
//!
//! [`LogShape`] is a table; `compiled` has all of them as one automaton; `locate` chooses the shape of a record and finds
//! the pieces.

mod audit_event;
mod automaton;
mod compiled;
mod found;
mod known;
mod lines;
mod locate;
mod located;
mod message;
mod readings;
mod shape;
mod unread;

pub(crate) use compiled::Outer;
pub use compiled::{LogShapes, Logs};
pub(crate) use found::{Found, Listed};
pub(crate) use known::RECORDERS;
pub use known::{USER_AGENT_MEMBERS, log_shapes};
pub(crate) use lines::is_common_line;
pub(crate) use locate::{is_address, is_common_method};
pub(crate) use located::{LocatedMessage, LocatedRecord, may_state_call};
pub(crate) use message::is_route;
pub use shape::{LogShape, Piece};
