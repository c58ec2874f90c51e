//! The calls in a record of JSON, wherever in it they are.

mod batch;
mod json_record;
mod log_table;

pub use batch::calls_of_batch;
pub(super) use json_record::{
    OuterReader, Parts, could_be, emit_part, has_call, is_surely_call, may_hold_calls, parts,
    parts_in_file, parts_in_text, parts_of_interaction, parts_of_valid,
};
pub use log_table::propose_log_table;
