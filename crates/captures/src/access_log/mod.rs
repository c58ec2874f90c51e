//! Access logs of web servers. Each line is a call, in the Common Log Format or one like it, or in a format that the user gives.
//!
//! Lines have no bodies unless the user's format has them. The escapes of servers are undone.

mod beginning;
mod escapes;
mod line;
mod line_pieces;
mod log_format;

pub(super) use beginning::Beginning;
pub(super) use line::{has_call, has_log_field, may_be_common};
pub(super) use line_pieces::{LineFit, LineMiss};
pub use log_format::LogFormat;
