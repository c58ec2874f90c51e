//! Packet captures: pcap and pcapng.

use sundown_exchange::RecordSink;
use sundown_packets::{Assembler, Output, is_capture, read_outputs};

use crate::Limits;
use crate::Logs;
use crate::chunker::{Chunker, Cut, ReadOptions, Records};
use crate::file_head::FileHead;
use crate::spec::{FormatFamily, FormatReader, FormatSpec, Keeps, Recognition};
use sundown_text_json::text::Block;

/// Packet captures (pcap, pcapng) with unencrypted HTTP/1.1 or HTTP/2.
pub(crate) const PCAP: FormatSpec = FormatSpec {
    name: "pcap",
    title: "Packet captures (pcap, pcapng) with unencrypted HTTP/1.1 or HTTP/2",
    family: FormatFamily::Wire,
    recognised: "the magic numbers of such files",
    recognition: Recognition::Sniff(sniff),
    reader: FormatReader::Blocks(begin),
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

fn begin(limits: Limits) -> Box<dyn Chunker> {
    Box::new(PacketChunker(Assembler::new(
        limits.record,
        limits.expansion,
    )))
}

/// Assembles messages from packets.
#[derive(Debug)]
struct PacketChunker(Assembler);

impl Chunker for PacketChunker {
    /// The end of a capture shows which connections were not finished.
    fn cut(&mut self, text: Block<'_>, all: bool, _: &Logs<'_>) -> Option<Cut> {
        let bytes = self.0.take(text.bytes, all);
        let records = Box::new(Assembled(self.0.outputs()));
        (bytes > 0 || all).then_some(Cut { bytes, records })
    }
}

/// The messages that were assembled from the packets of a block and from those before.
#[derive(Debug)]
struct Assembled(Vec<Output>);

impl Records for Assembled {
    fn read<'a>(&self, _: Block<'a>, _: &ReadOptions<'_>, sink: &mut dyn RecordSink<'a>) -> usize {
        read_outputs(&self.0, sink)
    }

    /// Exchanges are assembled from all over the file.
    fn positions_in<'b>(&self, _: Block<'b>) -> Block<'b> {
        Block::whole(&[])
    }
}
