//! Packet captures: pcap and pcapng.

use crate::chunks::{Chunker, Cut, ReadOptions, Records};
use crate::file_head::FileHead;
use crate::shapes::Logs;
use sundown_exchange::RecordSink;
use sundown_packets::{Assembler, Output, is_capture, read_outputs};
use sundown_text_json::Limits;
use sundown_text_json::text::Block;

pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    is_capture(head.bytes)
}

pub(crate) fn begin(limits: Limits) -> Box<dyn Chunker> {
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
    fn read(&self, _: Block<'_>, _: &ReadOptions<'_>, sink: &mut dyn RecordSink) -> usize {
        read_outputs(&self.0, sink)
    }

    /// Exchanges are assembled from all over the file.
    fn positions_in<'b>(&self, _: Block<'b>) -> Block<'b> {
        Block::whole(&[])
    }
}
