//! HTTP traffic recorded on the network: raw messages, packets, and the recordings of proxies.

pub(super) mod capture;
pub(super) mod charles;
mod field_section;
pub(super) mod flows;
mod frame;
mod message;
pub(super) mod raw;

pub use capture::Output;
pub(super) use capture::{Assembler, read_outputs};
pub(super) use flows::{FlowCut, MALFORMED as NO_FLOW, cut as cut_flows, read_flows};
