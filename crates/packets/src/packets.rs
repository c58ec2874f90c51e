//! The packets in a capture file: pcap, in either byte order and with micro- or nanoseconds, and pcapng.

use chrono::{DateTime, Utc};
use pcap_parser::pcapng::{Block, parse_block_be, parse_block_le};
use pcap_parser::traits::PcapNGPacketBlock as _;
use pcap_parser::{Linktype, parse_pcap_frame, parse_pcap_frame_be, parse_pcap_header};

/// The result of one step through a file.
pub(super) enum PacketStep<'b> {
    /// A packet, and the number of bytes that were processed.
    Packet(Packet<'b>, usize),
    /// This number of bytes contain no packet.
    NoPacket(usize),
    /// This number of bytes contain a packet that is not read.
    Unread(usize),
    /// This number of bytes could not be read, for this reason. Reading continues after them.
    Fault(usize, &'static str),
    /// More bytes are needed.
    More,
    /// The file cannot be read further, for this reason.
    Broken(&'static str),
}

/// A packet as it was captured.
pub(super) struct Packet<'b> {
    pub link: Linktype,
    pub data: &'b [u8],
    /// The offset of the data from the beginning of the step.
    pub start: usize,
    pub time: Option<DateTime<Utc>>,
}

/// Walks through the packets of a file.
#[derive(Debug, Default)]
pub(super) enum Packets {
    #[default]
    Start,
    Pcap {
        is_big: bool,
        per_second: u64,
        link: Linktype,
    },
    PcapNg {
        is_big: bool,
        interfaces: Vec<Interface>,
    },
}

/// An interface of a pcapng file.
#[derive(Debug)]
pub(super) struct Interface {
    link: Linktype,
    per_second: u64,
    offset: i64,
}

/// The largest packet or block in bytes: far larger than packets on networks.
const MAX_BLOCK: usize = 16 * 1024 * 1024;

/// The largest number of interfaces in a section.
const MAX_INTERFACES: usize = 65_536;

/// The lengths of the header of a pcap file and of a packet.
const FILE_HEADER: usize = 24;
const PACKET_HEADER: usize = 16;

/// The offset of the data in a block with a packet.
const ENHANCED_DATA: usize = 28;
const SIMPLE_DATA: usize = 12;

const SECTION: [u8; 4] = [0x0A, 0x0D, 0x0D, 0x0A];
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;

/// Whether a file begins like a packet capture.
pub fn is_capture(bytes: &[u8]) -> bool {
    match bytes {
        [0xD4, 0xC3, 0xB2, 0xA1, ..] | [0xA1, 0xB2, 0xC3, 0xD4, ..] => true,
        [0x4D, 0x3C, 0xB2, 0xA1, ..] | [0xA1, 0xB2, 0x3C, 0x4D, ..] => true,
        [0x0A, 0x0D, 0x0D, 0x0A, _, _, _, _, order @ ..] => {
            order.starts_with(&[0x4D, 0x3C, 0x2B, 0x1A])
                || order.starts_with(&[0x1A, 0x2B, 0x3C, 0x4D])
        }
        _ => false,
    }
}

impl Packets {
    /// Reads the next packet in `bytes`, which begin where the last step ended.
    pub(super) fn step<'b>(&mut self, bytes: &'b [u8]) -> PacketStep<'b> {
        match self {
            Self::Start => self.begin(bytes),
            Self::Pcap {
                is_big,
                per_second,
                link,
            } => pcap_packet(bytes, *is_big, *per_second, *link),
            Self::PcapNg { .. } => self.block(bytes),
        }
    }

    fn begin<'b>(&mut self, bytes: &'b [u8]) -> PacketStep<'b> {
        if bytes.len() < 4 {
            return PacketStep::More;
        }
        if bytes.starts_with(&SECTION) {
            *self = Self::PcapNg {
                is_big: false,
                interfaces: Vec::new(),
            };
            return self.block(bytes);
        }
        if bytes.len() < FILE_HEADER {
            return PacketStep::More;
        }
        match parse_pcap_header(bytes) {
            Ok((_, header)) if !header.is_modified_format() => {
                let per_second = if header.is_nanosecond_precision() {
                    1_000_000_000
                } else {
                    1_000_000
                };
                // The upper half of the field has other information than the link type.
                let link = Linktype(header.network.0 & 0xFFFF);
                *self = Self::Pcap {
                    is_big: header.is_bigendian(),
                    per_second,
                    link,
                };
                PacketStep::NoPacket(FILE_HEADER)
            }
            _ => PacketStep::Broken("it begins neither like a pcap nor like a pcapng file"),
        }
    }

    /// Reads one block of a pcapng file.
    fn block<'b>(&mut self, bytes: &'b [u8]) -> PacketStep<'b> {
        let Self::PcapNg { is_big, interfaces } = self else {
            return PacketStep::More;
        };
        let (Some(kind), Some(length)) = (four(bytes, 0), four(bytes, 4)) else {
            return PacketStep::More;
        };
        if bytes.starts_with(&SECTION) {
            match bytes.get(8..12) {
                Some([0x1A, 0x2B, 0x3C, 0x4D]) => *is_big = true,
                Some([0x4D, 0x3C, 0x2B, 0x1A]) => *is_big = false,
                Some(_) => return PacketStep::Broken("a section does not say its byte order"),
                None => return PacketStep::More,
            }
        }
        let length = number(length, *is_big);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length < 12 || length % 4 != 0 || length > MAX_BLOCK {
            return PacketStep::Broken("a block's length cannot be right");
        }
        let Some(block) = bytes.get(..length) else {
            return PacketStep::More;
        };
        if number(kind, *is_big) == OLD_PACKET {
            return PacketStep::Unread(length);
        }
        let parsed = if *is_big {
            parse_block_be(block)
        } else {
            parse_block_le(block)
        };
        let Ok((_, parsed)) = parsed else {
            return malformed(block, number(kind, *is_big));
        };
        match parsed {
            Block::SectionHeader(_) => interfaces.clear(),
            Block::InterfaceDescription(description) => {
                if interfaces.len() >= MAX_INTERFACES {
                    return PacketStep::Broken("it has more interfaces than machines have");
                }
                let per_second = description.ts_resolution().unwrap_or(1_000_000);
                let link = description.linktype;
                let offset = description.ts_offset();
                interfaces.push(Interface {
                    link,
                    per_second,
                    offset,
                });
            }
            Block::EnhancedPacket(packet) => {
                let captured = usize::try_from(packet.caplen).unwrap_or(usize::MAX);
                let index = usize::try_from(packet.if_id).unwrap_or(usize::MAX);
                let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                let interface = interfaces.get(index);
                return packet_in(block, ENHANCED_DATA, captured, interface, Some(ticks));
            }
            Block::SimplePacket(packet) => {
                let captured = packet.packet_data().len();
                return packet_in(block, SIMPLE_DATA, captured, interfaces.first(), None);
            }
            _ => {}
        }
        PacketStep::NoPacket(length)
    }
}

/// The packet in a block, of which so many bytes were captured from `start` on.
fn packet_in<'b>(
    block: &'b [u8],
    start: usize,
    captured: usize,
    interface: Option<&Interface>,
    ticks: Option<u64>,
) -> PacketStep<'b> {
    let Some(interface) = interface else {
        return PacketStep::Fault(block.len(), "a packet from an undeclared interface");
    };
    let Some(data) = data(block, start, captured) else {
        return PacketStep::Unread(block.len());
    };
    let packet = Packet {
        link: interface.link,
        data,
        start,
        time: ticks.and_then(|ticks| time(ticks, interface.per_second, interface.offset)),
    };
    PacketStep::Packet(packet, block.len())
}

/// Handles an invalid block: it is skipped if its length is also at its end, and nothing after it needs it.
fn malformed(block: &[u8], kind: u32) -> PacketStep<'_> {
    let is_needed = block.starts_with(&SECTION) || kind == INTERFACE;
    let is_framed = block
        .last_chunk::<4>()
        .is_some_and(|end| block.get(4..8) == Some(end));
    let detail = "a block is not what it says";
    if is_framed && !is_needed {
        PacketStep::Fault(block.len(), detail)
    } else {
        PacketStep::Broken(detail)
    }
}

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..)?.first_chunk::<4>().copied()
}

fn number(bytes: [u8; 4], is_big: bool) -> u32 {
    if is_big {
        u32::from_be_bytes(bytes)
    } else {
        u32::from_le_bytes(bytes)
    }
}

/// Returns a part of a block, which must end before the length at the end of the block.
fn data(block: &[u8], start: usize, length: usize) -> Option<&[u8]> {
    block
        .get(start..start.checked_add(length)?)
        .filter(|_| start + length + 4 <= block.len())
}

fn pcap_packet(bytes: &[u8], is_big: bool, per_second: u64, link: Linktype) -> PacketStep<'_> {
    let Some(length) = four(bytes, 8).filter(|_| bytes.len() >= PACKET_HEADER) else {
        return PacketStep::More;
    };
    let length = number(length, is_big);
    if usize::try_from(length).map_or(true, |length| length > MAX_BLOCK) {
        return PacketStep::Broken("a packet's length cannot be right");
    }
    let parsed = if is_big {
        parse_pcap_frame_be(bytes)
    } else {
        parse_pcap_frame(bytes)
    };
    let Ok((rest, packet)) = parsed else {
        return PacketStep::More;
    };
    let ticks = u64::from(packet.ts_sec) * per_second + u64::from(packet.ts_usec);
    let time = time(ticks, per_second, 0);
    let data = packet.data;
    PacketStep::Packet(
        Packet {
            link,
            data,
            start: PACKET_HEADER,
            time,
        },
        bytes.len() - rest.len(),
    )
}

/// Converts a number of ticks since 1970.
fn time(ticks: u64, per_second: u64, offset: i64) -> Option<DateTime<Utc>> {
    let seconds = i64::try_from(ticks.checked_div(per_second)?)
        .ok()?
        .checked_add(offset)?;
    let rest = u128::from(ticks % per_second) * 1_000_000_000 / u128::from(per_second);
    DateTime::from_timestamp(seconds, u32::try_from(rest).ok()?)
}
