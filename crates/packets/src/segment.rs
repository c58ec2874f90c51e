//! Extracts the TCP segment from a packet: strips the headers of the link, of tunnels and of the network.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TransportSlice, ip_number};
use pcap_parser::Linktype;

use sundown_exchange::Reason;

/// The content of a packet.
pub(super) enum PacketContent<'p> {
    Tcp(TcpSegment<'p>),
    /// A fragment of an IP packet.
    Fragment,
    Unread(UnreadPacket),
}

/// The reason why a packet is not read, and what it is.
pub(super) type UnreadPacket = (Reason, Cow<'static, str>);

pub(super) const WITHOUT_TCP: UnreadPacket =
    (Reason::NotHttp, Cow::Borrowed("packets without TCP"));

/// A TCP segment: a piece of one direction of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct TcpSegment<'p> {
    pub from: SocketAddr,
    pub to: SocketAddr,
    pub sequence: u32,
    pub acknowledged: u32,
    pub flags: TcpFlags,
    pub data: &'p [u8],
}

/// The control bits of a segment.
#[derive(Debug, Clone, Copy, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four bits of a header, in any combination"
)]
pub(super) struct TcpFlags {
    pub begins: bool,
    pub answers: bool,
    pub ends: bool,
    pub breaks: bool,
}

/// Link types that `pcap_parser` does not name.
const LINUX_COOKED_2: Linktype = Linktype(276);
const RAW_ON_BSD: [Linktype; 2] = [Linktype(12), Linktype(14)];

pub(super) fn segment(link: Linktype, data: &[u8]) -> PacketContent<'_> {
    let of_type = |kind: Option<&[u8]>, start: usize| {
        let (&[a, b], rest) = (kind?, data.get(start..)?) else {
            return None;
        };
        of_kind(u16::from_be_bytes([a, b]), rest)
    };
    let packet = match link {
        Linktype::ETHERNET => in_ethernet(data, 0),
        Linktype::LINUX_SLL => of_type(data.get(14..16), 16),
        LINUX_COOKED_2 => of_type(data.get(..2), 20),
        // The number of the address family at the beginning differs between systems. The IP header states its version
        // itself.
        Linktype::NULL | Linktype::LOOP => data.get(4..).and_then(in_bare_ip),
        Linktype::RAW | Linktype::IPV4 | Linktype::IPV6 => in_bare_ip(data),
        other if RAW_ON_BSD.contains(&other) => in_bare_ip(data),
        Linktype(number) => {
            let detail = format!("packets of link type {number}");
            return PacketContent::Unread((Reason::UnreadPackets, detail.into()));
        }
    };
    let Some(mut packet) = packet else {
        return PacketContent::Unread(WITHOUT_TCP);
    };
    while let Some(inner) = encapsulated(&packet) {
        match inner {
            Ok(inner) => packet = inner,
            Err(content) => return content,
        }
    }
    of_packet(&packet)
}

/// Returns the packet that another one encapsulates, or why it is not read; `None` if it encapsulates none.
fn encapsulated<'p>(
    outer: &LaxSlicedPacket<'p>,
) -> Option<Result<LaxSlicedPacket<'p>, PacketContent<'p>>> {
    let payload = outer.ip_payload();
    let (protocol, inner) = match payload {
        Some(payload) => in_ip(payload.ip_number, payload.payload)?,
        None => {
            let frame = outer.ether_payload()?;
            in_frame(frame.ether_type, frame.payload)?
        }
    };
    if payload.is_some_and(|payload| payload.fragmented) {
        return Some(Err(PacketContent::Fragment));
    }
    Some(inner.ok_or_else(|| {
        PacketContent::Unread(match protocol {
            IPSEC => (Reason::Encrypted, "it is encrypted (IPsec)".into()),
            _ => {
                let detail = format!("packets that are encapsulated in {protocol}");
                (Reason::UnreadPackets, detail.into())
            }
        })
    }))
}

/// The name of a protocol that encapsulates packets, and the packet in it, if it is read.
type Encapsulated<'p> = (&'static str, Option<LaxSlicedPacket<'p>>);

const IPSEC: &str = "IPsec";

fn in_frame(kind: EtherType, data: &[u8]) -> Option<Encapsulated<'_>> {
    match kind.0 {
        0x8847 | 0x8848 => Some(("MPLS", in_mpls(data))),
        // Other protocols of PPP (RFC 2516) configure the link.
        0x8864 => match data {
            [_, 0, _, _, _, _, 0, 0x21 | 0x57, rest @ ..] => Some(("PPPoE", in_bare_ip(rest))),
            _ => None,
        },
        0x88E7 => Some(("a provider backbone (IEEE 802.1ah)", None)),
        _ => None,
    }
}

fn in_ip(kind: etherparse::IpNumber, data: &[u8]) -> Option<Encapsulated<'_>> {
    Some(match kind {
        ip_number::IPV4 | ip_number::IPV6 => ("IP", in_bare_ip(data)),
        ip_number::UDP => return in_udp(data),
        ip_number::GRE => ("GRE", in_gre(data)),
        ip_number::ENCAPSULATING_SECURITY_PAYLOAD => (IPSEC, None),
        ip_number::ETHER_IP => ("EtherIP", in_ethernet(data, 2)),
        ip_number::LAYER2_TUNNELING_PROTOCOL => ("L2TP", None),
        ip_number::MPLS_IN_IP => ("MPLS", in_mpls(data)),
        _ => return None,
    })
}

/// A tunnel is recognised by the port to which its packets go, and by its header.
fn in_udp(datagram: &[u8]) -> Option<Encapsulated<'_>> {
    let port = u16::from_be_bytes([*datagram.get(2)?, *datagram.get(3)?]);
    let data = datagram.get(8..)?;
    match (port, data) {
        // Linux used the second port before the first was assigned (RFC 7348).
        (4789 | 8472, [flags, _, _, _, _, _, _, 0, ..]) if flags & 8 != 0 => {
            Some(("VXLAN", in_ethernet(data, 8)))
        }
        // RFC 8926
        (6081, [lengths @ 0..=0x3F, _, high, low, ..]) => {
            let inner = data.get(8 + 4 * usize::from(*lengths)..);
            let kind = u16::from_be_bytes([*high, *low]);
            Some(("Geneve", inner.and_then(|inner| of_kind(kind, inner))))
        }
        (3544, [0x60..=0x6F, ..]) => Some(("Teredo", in_bare_ip(data))),
        (2152, [0x30..=0x3F, 0xFF, ..]) => Some(("GTP-U", None)),
        (1701, [0..=0x7F, 2, ..]) => Some(("L2TP", None)),
        (4790, [_, 0, 0, _, ..]) => Some(("VXLAN-GPE", None)),
        _ => None,
    }
}

/// Reads GRE (RFC 2784, RFC 2890). Its other version is that of PPTP.
fn in_gre(data: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    let &[flags, version, high, low, ..] = data else {
        return None;
    };
    let is_routed = flags & 0x40 != 0;
    if is_routed || version & 7 != 0 {
        return None;
    }
    let fields = (flags & 0xB0).count_ones() as usize;
    let inner = data.get(4 + 4 * fields..)?;
    match u16::from_be_bytes([high, low]) {
        // ERSPAN: without a sequence number, it has no header of its own.
        0x88BE => in_ethernet(inner, if flags & 0x10 == 0 { 0 } else { 8 }),
        0x22EB => None,
        kind => of_kind(kind, inner),
    }
}

/// Reads the packet after the labels (RFC 3032). That it is IP shows only in its first byte.
fn in_mpls(data: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    let last = data
        .chunks_exact(4)
        .position(|label| label.get(2).is_some_and(|byte| byte & 1 == 1))?;
    in_bare_ip(data.get(4 * (last + 1)..)?)
}

fn in_bare_ip(data: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    LaxSlicedPacket::from_ip(data).ok()
}

fn in_ethernet(data: &[u8], start: usize) -> Option<LaxSlicedPacket<'_>> {
    LaxSlicedPacket::from_ethernet(data.get(start..)?).ok()
}

/// Reads a packet whose kind is stated by a number of Ethernet; `0x6558` is Ethernet itself.
fn of_kind(kind: u16, data: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    match kind {
        0x6558 => in_ethernet(data, 0),
        _ => Some(LaxSlicedPacket::from_ether_type(EtherType(kind), data)),
    }
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
        _ => return PacketContent::Unread(WITHOUT_TCP),
    };
    let payload = packet.ip_payload();
    if payload.is_some_and(|payload| payload.fragmented && payload.ip_number == ip_number::TCP) {
        return PacketContent::Fragment;
    }
    let Some(TransportSlice::Tcp(tcp)) = &packet.transport else {
        return PacketContent::Unread(WITHOUT_TCP);
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
