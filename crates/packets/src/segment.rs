//! Extracts the TCP segment from a packet: strips the headers of the link and the network.

use std::net::{IpAddr, SocketAddr};

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TransportSlice, ip_number};
use pcap_parser::Linktype;

/// The content of a packet.
pub(super) enum PacketContent<'p> {
    Tcp(TcpSegment<'p>),
    /// A fragment of an IP packet.
    Fragment,
    /// A packet without TCP.
    Other,
    /// An unsupported link type.
    UnknownLink,
}

/// A TCP segment: a piece of one direction of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct TcpSegment<'p> {
    pub(super) from: SocketAddr,
    pub(super) to: SocketAddr,
    pub(super) sequence: u32,
    pub(super) acknowledged: u32,
    pub(super) flags: TcpFlags,
    pub(super) data: &'p [u8],
}

/// The control bits of a segment.
#[derive(Debug, Clone, Copy, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four bits of a header, in any combination"
)]
pub(super) struct TcpFlags {
    pub(super) begins: bool,
    pub(super) answers: bool,
    pub(super) ends: bool,
    pub(super) breaks: bool,
}

/// Link types that `pcap_parser` does not name.
const LINUX_COOKED_2: Linktype = Linktype(276);
const RAW_ON_BSD: [Linktype; 2] = [Linktype(12), Linktype(14)];

pub(super) fn segment(link: Linktype, data: &[u8]) -> PacketContent<'_> {
    let of_type = |kind: Option<&[u8]>, start: usize| {
        let (Some(&[a, b]), Some(rest)) = (kind, data.get(start..)) else {
            return None;
        };
        Some(LaxSlicedPacket::from_ether_type(
            EtherType(u16::from_be_bytes([a, b])),
            rest,
        ))
    };
    let packet = match link {
        Linktype::ETHERNET => LaxSlicedPacket::from_ethernet(data).ok(),
        Linktype::LINUX_SLL => of_type(data.get(14..16), 16),
        LINUX_COOKED_2 => of_type(data.get(..2), 20),
        // The number of the address family at the beginning differs between systems. The IP header states its version
        // itself.
        Linktype::NULL | Linktype::LOOP => data
            .get(4..)
            .and_then(|rest| LaxSlicedPacket::from_ip(rest).ok()),
        Linktype::RAW | Linktype::IPV4 | Linktype::IPV6 => LaxSlicedPacket::from_ip(data).ok(),
        other if RAW_ON_BSD.contains(&other) => LaxSlicedPacket::from_ip(data).ok(),
        _ => return PacketContent::UnknownLink,
    };
    packet.map_or(PacketContent::Other, |packet| of_packet(&packet))
}

fn of_packet<'p>(packet: &LaxSlicedPacket<'p>) -> PacketContent<'p> {
    let (from, to): (IpAddr, IpAddr) = match &packet.net {
        Some(LaxNetSlice::Ipv4(ip)) => (
            ip.header().source_addr().into(),
            ip.header().destination_addr().into(),
        ),
        Some(LaxNetSlice::Ipv6(ip)) => (
            ip.header().source_addr().into(),
            ip.header().destination_addr().into(),
        ),
        _ => return PacketContent::Other,
    };
    let payload = packet.net.as_ref().and_then(LaxNetSlice::ip_payload_ref);
    if payload.is_some_and(|payload| payload.fragmented && payload.ip_number == ip_number::TCP) {
        return PacketContent::Fragment;
    }
    let Some(TransportSlice::Tcp(tcp)) = &packet.transport else {
        return PacketContent::Other;
    };
    PacketContent::Tcp(TcpSegment {
        from: (from, tcp.source_port()).into(),
        to: (to, tcp.destination_port()).into(),
        sequence: tcp.sequence_number(),
        acknowledged: tcp.acknowledgment_number(),
        flags: TcpFlags {
            begins: tcp.syn(),
            answers: tcp.ack(),
            ends: tcp.fin(),
            breaks: tcp.rst(),
        },
        data: tcp.payload(),
    })
}
