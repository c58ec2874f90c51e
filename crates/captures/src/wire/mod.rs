//! HTTP traffic recorded on the network: raw messages, packets, and the recordings of proxies.

pub(super) mod charles;
pub(super) mod flows;
pub(super) mod httprr;
pub(super) mod pcap;
pub(super) mod raw;
