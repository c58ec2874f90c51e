//! Packet captures: pcap and pcapng.

use sundown_exchange::RecordSink;
use sundown_packets::{Assembler, is_capture, read_outputs};

use crate::Limits;
use crate::file_head::FileHead;
use crate::spec::{FormatFamily, FormatReader, FormatSpec, Keeps, ReadUnit, Recognition};
use sundown_text_json::text::Block;

/// Packet captures (pcap, pcapng) with unencrypted HTTP/1.1 or HTTP/2.
pub(crate) const PCAP: FormatSpec = FormatSpec {
    name: "pcap",
    title: "Packet captures (pcap, pcapng) with unencrypted HTTP/1.1 or HTTP/2",
    family: FormatFamily::Wire,
    recognised: "the magic numbers of such files",
    recognition: Recognition::Sniff(sniff),
    reader: FormatReader::Records(read),
    unit: ReadUnit::Packets,
    keeps: Keeps::Exchanges,
    reads: "connections over Ethernet, VLANs, Linux cooked headers, loopback and bare IP, IPv4 and IPv6, also through a proxy (`CONNECT`), after a header of the PROXY protocol, and in the tunnels VXLAN, Geneve, GRE, ERSPAN, MPLS, PPPoE, EtherIP, Teredo and IP in IP",
    limits: "Encrypted connections, other protocols, tunnels and link types, IP fragments and missing packets are reported as not checked. So is a connection through a SOCKS proxy: capture it between the proxy and the server. HTTP/2 is read if the capture has the beginning of its connection. A body in several packets, or a compressed one, is located at the packets that hold it.",
    is_binary: true,
    endings: &[],
    marks: &[],
    sample: "captures/wire/loopback.pcap",
};

fn sniff(head: &FileHead<'_>) -> bool {
    is_capture(head.bytes)
}

/// Reads a whole capture.
fn read<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    let mut assembler = Assembler::new(limits.record, limits.expansion);
    assembler.take(file.bytes, true);
    read_outputs(&assembler.outputs(), sink);
}
