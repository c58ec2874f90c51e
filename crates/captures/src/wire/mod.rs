//! HTTP traffic recorded on the network: raw messages, packets, and the recordings of proxies.

pub(super) mod charles;
pub(super) mod flows;
pub(super) mod httprr;
pub(super) mod pcap;
pub(super) mod raw;

pub(super) use flows::{FlowCut, MALFORMED as NO_FLOW, cut as cut_flows, read_flows};
