//! HTTP/1.1 as it went over the wire: raw messages, packets with them, and what proxies keep of them.

mod capture;
pub(super) mod charles;
mod flows;
mod frame;
mod message;
mod raw;

pub use capture::Output;
pub(super) use capture::{Assembler, is as is_pcap, is_capture, read as read_pcap, read_outputs};
pub(super) use flows::{
    FlowCut, MALFORMED as NO_FLOW, cut as cut_flows, is as is_mitmproxy, is_dump,
    read as read_mitmproxy, read_flows,
};
pub(super) use raw::{is as is_raw, read as read_raw};
