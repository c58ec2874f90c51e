//! The negotiation with a SOCKS proxy (RFC 1928, RFC 1929, and version 4), after which a connection carries another one.

/// The result of a look at the first bytes of both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SocksNegotiation {
    /// They are something else, or the proxy refused.
    Not,
    /// More bytes are needed.
    More,
    /// It has so many bytes of the client and of the proxy.
    Done([usize; 2]),
}

/// The largest number of bytes of a negotiation in one direction.
const MOST: usize = 1024;

/// The answer of a proxy of version 4 that grants a request.
const GRANTED: u8 = 90;

/// Reads the negotiation at the beginning of a connection.
pub(super) fn negotiation(client: &[u8], proxy: &[u8]) -> SocksNegotiation {
    let is_first = |version| client.first().is_none_or(|first| *first == version);
    let is_5 = is_first(5) && proxy.first().is_none_or(|first| *first == 5);
    let is_4 = is_first(4) && proxy.first().is_none_or(|first| *first == 0);
    let done = match (is_5, is_4) {
        (true, _) => version_5(client, proxy),
        (_, true) => version_4(client, proxy),
        _ => return SocksNegotiation::Not,
    };
    match done {
        Ok(lengths) => SocksNegotiation::Done(lengths),
        Err(is_possible) if is_possible && client.len() <= MOST && proxy.len() <= MOST => {
            SocksNegotiation::More
        }
        Err(_) => SocksNegotiation::Not,
    }
}

/// The lengths of the negotiation, or whether more bytes may complete it.
type Lengths = Result<[usize; 2], bool>;

fn version_5(client: &[u8], proxy: &[u8]) -> Lengths {
    let mut client = Cursor(client, 0);
    let mut proxy = Cursor(proxy, 0);
    client.skip(1)?;
    let methods = client.byte()?;
    client.skip(methods)?;
    proxy.skip(1)?;
    match proxy.byte()? {
        0 => {}
        // A name and a password.
        2 => {
            client.skip(1)?;
            for _ in 0..2 {
                let length = client.byte()?;
                client.skip(length)?;
            }
            proxy.expect(1)?;
            proxy.expect(0)?;
        }
        _ => return Err(false),
    }
    client.expect(5)?;
    client.expect(1)?;
    client.skip(1)?;
    client.address()?;
    proxy.expect(5)?;
    proxy.expect(0)?;
    proxy.skip(1)?;
    proxy.address()?;
    Ok([client.1, proxy.1])
}

fn version_4(client: &[u8], proxy: &[u8]) -> Lengths {
    let mut client = Cursor(client, 0);
    let mut proxy = Cursor(proxy, 0);
    client.skip(1)?;
    client.expect(1)?;
    client.skip(2)?;
    let has_name = matches!(client.0.get(client.1..), Some([0, 0, 0, last, ..]) if *last != 0);
    client.skip(4)?;
    client.text()?;
    if has_name {
        client.text()?;
    }
    proxy.skip(1)?;
    proxy.expect(usize::from(GRANTED))?;
    proxy.skip(6)?;
    Ok([client.1, proxy.1])
}

/// Bytes, and the number of those that have been read. Errors say whether more bytes may help.
struct Cursor<'b>(&'b [u8], usize);

impl Cursor<'_> {
    fn byte(&mut self) -> Result<usize, bool> {
        let byte = *self.0.get(self.1).ok_or(true)?;
        self.1 += 1;
        Ok(usize::from(byte))
    }

    fn expect(&mut self, byte: usize) -> Result<(), bool> {
        if self.byte()? == byte { Ok(()) } else { Err(false) }
    }

    fn skip(&mut self, count: usize) -> Result<(), bool> {
        self.1 += count;
        if self.1 <= self.0.len() { Ok(()) } else { Err(true) }
    }

    /// Skips an address and a port.
    fn address(&mut self) -> Result<(), bool> {
        let length = match self.byte()? {
            1 => 4,
            3 => self.byte()?,
            4 => 16,
            _ => return Err(false),
        };
        self.skip(length + 2)
    }

    /// Skips a text that ends with a zero.
    fn text(&mut self) -> Result<(), bool> {
        while self.byte()? != 0 {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negotiations_are_read_to_their_end() {
        let cases: [(&[u8], &[u8]); 4] = [
            (b"\x05\x01\0\x05\x01\0\x01\x7f\0\0\x01\0\x50", b"\x05\0\x05\0\0\x01\0\0\0\0\0\0"),
            (
                b"\x05\x02\0\x02\x01\x01u\x02pp\x05\x01\0\x03\x01x\0\x50",
                b"\x05\x02\x01\0\x05\0\0\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
            ),
            (b"\x04\x01\0\x50\x7f\0\0\x01me\0", b"\0\x5a\0\0\0\0\0\0"),
            (b"\x04\x01\0\x50\0\0\0\x01me\0host\0", b"\0\x5a\0\0\0\0\0\0"),
        ];
        for (client, proxy) in cases {
            let done = SocksNegotiation::Done([client.len(), proxy.len()]);
            assert_eq!(negotiation(&[client, b"GET /"].concat(), &[proxy, b"HTTP"].concat()), done);
            for cut in 0..client.len() {
                assert_eq!(negotiation(&client[..cut], b""), SocksNegotiation::More, "{cut}");
            }
            for cut in 0..proxy.len() {
                assert_eq!(negotiation(client, &proxy[..cut]), SocksNegotiation::More, "{cut}");
            }
        }
    }

    #[test]
    fn other_bytes_are_not_a_negotiation() {
        for (client, proxy) in [
            (&b"GET / HTTP/1.1"[..], &b""[..]),
            (b"\x05\x01\0", b"\x05\xff"),
            (b"\x05\x01\0\x05\x01\0\x09", b"\x05\0"),
            (b"\x04\x01\0\x50\x7f\0\0\x01\0", b"\0\x5b"),
            (b"\x16\x03\x01", b""),
            (&[5; 2000], b""),
        ] {
            assert_eq!(negotiation(client, proxy), SocksNegotiation::Not, "{client:?}");
        }
    }
}
