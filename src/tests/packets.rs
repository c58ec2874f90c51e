//! Captures of packets, made for tests: connections cut into segments as a test likes them.

use std::io::Write as _;

/// The link layer around an IP packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    Ethernet,
    Vlan,
    DoubleVlan,
    Cooked,
    Cooked2,
    Raw,
    Null,
    NullBig,
}

pub(crate) const LINKS: [Link; 8] = [
    Link::Ethernet,
    Link::Vlan,
    Link::DoubleVlan,
    Link::Cooked,
    Link::Cooked2,
    Link::Raw,
    Link::Null,
    Link::NullBig,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Four,
    Six,
}

/// A segment of the one connection that a test has, or of one of several by the port.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub port: u16,
    pub from_client: bool,
    pub sequence: u32,
    pub acknowledged: u32,
    /// FIN 1, SYN 2, RST 4, ACK 16.
    pub flags: u8,
    pub data: Vec<u8>,
}

pub(crate) const FIN: u8 = 1;

pub(crate) const SYN: u8 = 2;

pub(crate) const RST: u8 = 4;

pub(crate) const ACK: u8 = 16;

impl Segment {
    fn tcp(&self) -> Vec<u8> {
        let ports = [self.port, 8080];
        let [source, destination] = if self.from_client {
            ports
        } else {
            [ports[1], ports[0]]
        };
        let mut packet = Vec::new();
        packet.extend(source.to_be_bytes());
        packet.extend(destination.to_be_bytes());
        packet.extend(self.sequence.to_be_bytes());
        packet.extend(self.acknowledged.to_be_bytes());
        packet.extend([5 << 4, self.flags, 255, 255, 0, 0, 0, 0]);
        packet.extend(&self.data);
        packet
    }

    /// The packet of IP that it is in.
    pub(crate) fn ip(&self, version: Version) -> Vec<u8> {
        let tcp = self.tcp();
        let [from, to] = if self.from_client { [1, 2] } else { [2, 1] };
        let mut packet = Vec::new();
        match version {
            Version::Four => {
                packet.extend([0x45, 0]);
                packet.extend(u16::try_from(20 + tcp.len()).unwrap().to_be_bytes());
                packet.extend([0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, from, 10, 0, 0, to]);
            }
            Version::Six => {
                packet.extend([0x60, 0, 0, 0]);
                packet.extend(u16::try_from(tcp.len()).unwrap().to_be_bytes());
                packet.extend([6, 64]);
                for last in [from, to] {
                    packet.extend([0xFD; 15]);
                    packet.push(last);
                }
            }
        }
        packet.extend(tcp);
        packet
    }
}

impl Link {
    fn number(self) -> u32 {
        match self {
            Self::Ethernet | Self::Vlan | Self::DoubleVlan => 1,
            Self::Cooked => 113,
            Self::Cooked2 => 276,
            Self::Raw => 101,
            Self::Null | Self::NullBig => 0,
        }
    }

    fn around(self, ip: &[u8]) -> Vec<u8> {
        let six = ip[0] >> 4 == 6;
        let kind: [u8; 2] = if six { [0x86, 0xDD] } else { [8, 0] };
        let mut packet = match self {
            Self::Ethernet => [&[2; 12][..], &kind].concat(),
            Self::Vlan => [&[2; 12][..], &[0x81, 0, 0, 7], &kind].concat(),
            Self::DoubleVlan => [&[2; 12][..], &[0x88, 0xA8, 0, 7, 0x81, 0, 0, 8], &kind].concat(),
            Self::Cooked => [&[0, 0, 0, 1, 0, 6, 2, 2, 2, 2, 2, 2, 0, 0][..], &kind].concat(),
            Self::Cooked2 => [
                &kind[..],
                &[0, 0, 0, 0, 0, 1, 0, 1, 4, 6, 2, 2, 2, 2, 2, 2, 0, 0],
            ]
            .concat(),
            Self::Raw => Vec::new(),
            Self::Null => vec![if six { 30 } else { 2 }, 0, 0, 0],
            Self::NullBig => vec![0, 0, 0, if six { 28 } else { 2 }],
        };
        packet.extend(ip);
        if matches!(self, Self::Ethernet) {
            // Frames that are too short for the wire are padded.
            packet.resize(packet.len().max(60), 0);
        }
        packet
    }
}

/// A capture in the format of tcpdump.
pub(crate) fn pcap(segments: &[Segment], link: Link, version: Version) -> Vec<u8> {
    let packets: Vec<_> = segments
        .iter()
        .map(|segment| link.around(&segment.ip(version)))
        .collect();
    pcap_of(&packets, link.number())
}

/// A capture of whole packets.
pub(crate) fn pcap_of(packets: &[Vec<u8>], link: u32) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(0xA1B2_C3D4_u32.to_le_bytes());
    file.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0]);
    file.extend(link.to_le_bytes());
    for (number, packet) in packets.iter().enumerate() {
        file.extend(u32::try_from(1_795_000_000 + number).unwrap().to_le_bytes());
        file.extend(7_u32.to_le_bytes());
        let length = u32::try_from(packet.len()).unwrap().to_le_bytes();
        file.extend(length);
        file.extend(length);
        file.extend(packet);
    }
    file
}

/// The other byte order, with nanoseconds.
pub(crate) fn big_pcap(segments: &[Segment]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(0xA1B2_3C4D_u32.to_be_bytes());
    file.extend([0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0]);
    file.extend(1_u32.to_be_bytes());
    for segment in segments {
        let packet = Link::Ethernet.around(&segment.ip(Version::Four));
        file.extend(1_795_000_000_u32.to_be_bytes());
        file.extend(7_u32.to_be_bytes());
        let length = u32::try_from(packet.len()).unwrap().to_be_bytes();
        file.extend(length);
        file.extend(length);
        file.extend(packet);
    }
    file
}

/// A capture in the newer format, in either byte order.
pub(crate) fn pcapng(segments: &[Segment], is_big: bool) -> Vec<u8> {
    let number = |value: u32| {
        if is_big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    };
    let block = |kind: u32, body: &[u8]| {
        let mut body = body.to_vec();
        body.resize(body.len().next_multiple_of(4), 0);
        let length = number(u32::try_from(body.len() + 12).unwrap());
        [&number(kind)[..], &length, &body, &length].concat()
    };
    let order = number(0x1A2B_3C4D);
    let version = if is_big { [0, 1, 0, 0] } else { [1, 0, 0, 0] };
    let mut file = block(0x0A0D_0D0A, &[&order[..], &version, &[255; 8]].concat());
    let ethernet = if is_big { [0, 1, 0, 0] } else { [1, 0, 0, 0] };
    file.extend(block(1, &[&ethernet[..], &number(0)].concat()));
    for segment in segments {
        let packet = Link::Ethernet.around(&segment.ip(Version::Four));
        let length = number(u32::try_from(packet.len()).unwrap());
        let ticks = 1_795_000_000_000_007_u64;
        let high = number(u32::try_from(ticks >> 32).unwrap());
        let low = number(u32::try_from(ticks & 0xFFFF_FFFF).unwrap());
        let head = [&number(0)[..], &high, &low, &length, &length].concat();
        file.extend(block(6, &[&head[..], &packet].concat()));
    }
    file
}

/// One side of a connection: the messages that it sends, in order.
#[derive(Debug, Clone)]
pub(crate) struct Talk {
    pub port: u16,
    /// The numbers with which both begin.
    pub first: [u32; 2],
    segments: Vec<Segment>,
    said: [u32; 2],
}

impl Talk {
    pub(crate) fn new(port: u16, first: [u32; 2]) -> Self {
        let mut talk = Self {
            port,
            first,
            segments: Vec::new(),
            said: [0, 0],
        };
        talk.push(true, SYN, first[0], 0, Vec::new());
        talk.push(
            false,
            SYN | ACK,
            first[1],
            first[0].wrapping_add(1),
            Vec::new(),
        );
        talk
    }

    fn push(
        &mut self,
        from_client: bool,
        flags: u8,
        sequence: u32,
        acknowledged: u32,
        data: Vec<u8>,
    ) {
        let port = self.port;
        self.segments.push(Segment {
            port,
            from_client,
            sequence,
            acknowledged,
            flags,
            data,
        });
    }

    /// The number of the next byte of one of them.
    fn next(&self, who: usize) -> u32 {
        self.first[who].wrapping_add(1).wrapping_add(self.said[who])
    }

    /// One says something, in segments of these lengths over and over.
    pub(crate) fn says(mut self, from_client: bool, bytes: &[u8], lengths: &[usize]) -> Self {
        let (who, other) = if from_client { (0, 1) } else { (1, 0) };
        let mut rest = bytes;
        let mut lengths = lengths.iter().cycle();
        while !rest.is_empty() {
            let (now, later) = rest.split_at((*lengths.next().unwrap()).clamp(1, rest.len()));
            self.push(
                from_client,
                ACK,
                self.next(who),
                self.next(other),
                now.to_vec(),
            );
            self.said[who] = self.said[who].wrapping_add(u32::try_from(now.len()).unwrap());
            rest = later;
        }
        self
    }

    /// Both end it.
    pub(crate) fn ends(mut self) -> Vec<Segment> {
        let (client, server) = (self.next(0), self.next(1));
        self.push(false, FIN | ACK, server, client, Vec::new());
        self.push(true, FIN | ACK, client, server.wrapping_add(1), Vec::new());
        self.segments
    }

    /// Neither side has ended it yet.
    pub(crate) fn goes_on(self) -> Vec<Segment> {
        self.segments
    }
}

/// The bytes, compressed as gzip does.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}
