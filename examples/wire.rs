//! Puts made-up traffic on the wire: reads what the example `traffic` writes, and writes a capture of packets, or a flow dump.
//!
//! ```sh
//! cargo run --release --example traffic -- --bytes 900000000 | cargo run --release --example wire -- pcap > traffic.pcap
//! cargo run --release --example traffic -- --bytes 900000000 | cargo run --release --example wire -- flows > traffic.flows
//! ```

use std::io::{self, BufRead as _, BufWriter, Write};
use std::process::ExitCode;

use serde_json::Value;

/// The number of concurrent connections; each carries many exchanges.
const CONNECTIONS: usize = 64;

/// The payload of a packet on Ethernet.
const SEGMENT: usize = 1448;

/// One exchange, as its messages are on the wire.
struct Messages {
    path: String,
    method: String,
    request: Vec<u8>,
    response: Vec<u8>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // A closed standard error leaves no channel for the message.
            let _ = writeln!(io::stderr(), "wire: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let format = std::env::args().nth(1).unwrap_or_default();
    let lines = io::stdin().lock().lines();
    let mut packets = Packets::default();
    match format.as_str() {
        "pcap" => packets.begin(&mut out)?,
        "flows" => {}
        _ => return Err(io::Error::other("pcap or flows?")),
    }
    for (number, line) in lines.enumerate() {
        let messages = Messages::of(&line?)?;
        match format.as_str() {
            "pcap" => packets.exchange(number, &messages, &mut out)?,
            _ => out.write_all(&flow(&messages))?,
        }
    }
    out.flush()
}

impl Messages {
    fn of(line: &str) -> io::Result<Self> {
        let record: Value = serde_json::from_str(line)?;
        let text = |name: &str| record["req"][name].as_str().unwrap_or("/").to_owned();
        let url = text("url");
        let after = url
            .split_once("://")
            .map_or(url.as_str(), |(_, after)| after);
        let path = after
            .find('/')
            .and_then(|at| after.get(at..))
            .unwrap_or("/")
            .to_owned();
        let body = |side: &str| match &record[side]["body"] {
            Value::Null => Vec::new(),
            Value::String(text) => text.clone().into_bytes(),
            nested => nested.to_string().into_bytes(),
        };
        Ok(Self {
            path,
            method: text("method"),
            request: body("req"),
            response: body("res"),
        })
    }

    fn on_the_wire(&self) -> [Vec<u8>; 2] {
        let fields = |body: &[u8]| {
            format!(
                "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                body.len()
            )
        };
        let Self {
            method,
            path,
            request,
            response,
        } = self;
        let ask = format!(
            "{method} {path} HTTP/1.1\r\nHost: shop.example\r\n{}",
            fields(request)
        );
        let answer = format!("HTTP/1.1 200 OK\r\n{}", fields(response));
        [
            [ask.as_bytes(), request].concat(),
            [answer.as_bytes(), response].concat(),
        ]
    }
}

/// A capture in which many connections take turns.
#[derive(Default)]
struct Packets {
    /// The bytes sent so far, by connection and side.
    said: Vec<[u32; 2]>,
    packets: u32,
}

impl Packets {
    fn begin(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.said = vec![[1, 1]; CONNECTIONS];
        let header = [0xA1B2_C3D4_u32, 0x0004_0002, 0, 0, 262_144, 1];
        for number in header {
            out.write_all(&number.to_le_bytes())?;
        }
        for connection in 0..CONNECTIONS {
            self.packet(connection, 0, 2, &[], out)?;
            self.packet(connection, 1, 18, &[], out)?;
        }
        Ok(())
    }

    fn exchange(
        &mut self,
        number: usize,
        messages: &Messages,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let connection = number % CONNECTIONS;
        for (side, message) in messages.on_the_wire().iter().enumerate() {
            for segment in message.chunks(SEGMENT) {
                self.packet(connection, side, 16, segment, out)?;
            }
        }
        Ok(())
    }

    fn packet(
        &mut self,
        connection: usize,
        side: usize,
        flags: u8,
        data: &[u8],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Some(said) = self.said.get_mut(connection) else {
            return Ok(());
        };
        let is_first = u32::from(flags & 2 != 0);
        let [own, other] = if side == 0 {
            [said[0], said[1]]
        } else {
            [said[1], said[0]]
        };
        said[side] = own.wrapping_add(size(data.len()));
        let port = 40_000 + u16::try_from(connection).unwrap_or_default();
        let [from, to] = if side == 0 { [port, 80] } else { [80, port] };
        let hosts = if side == 0 { [1, 2] } else { [2, 1] };
        self.packets += 1;
        let length = size(54 + data.len());
        for number in [
            1_795_000_000 + self.packets / 10_000,
            self.packets % 10_000,
            length,
            length,
        ] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&[2; 12])?;
        out.write_all(&[8, 0, 0x45, 0])?;
        out.write_all(
            &u16::try_from(40 + data.len())
                .unwrap_or(u16::MAX)
                .to_be_bytes(),
        )?;
        out.write_all(&[
            0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, hosts[0], 10, 0, 0, hosts[1],
        ])?;
        out.write_all(&from.to_be_bytes())?;
        out.write_all(&to.to_be_bytes())?;
        out.write_all(&(own - is_first).to_be_bytes())?;
        out.write_all(&other.to_be_bytes())?;
        out.write_all(&[5 << 4, flags, 255, 255, 0, 0, 0, 0])?;
        out.write_all(data)
    }
}

fn size(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// A flow as mitmproxy writes it.
fn flow(messages: &Messages) -> Vec<u8> {
    let headers = of(
        b']',
        &of(
            b']',
            &[text("Content-Type"), text("application/json")].concat(),
        ),
    );
    let message = |content: &[u8]| {
        [
            key("headers"),
            headers.clone(),
            key("content"),
            of(b',', content),
        ]
        .concat()
    };
    let call = [
        key("method"),
        text(&messages.method),
        key("path"),
        text(&messages.path),
    ]
    .concat();
    let request = of(b'}', &[message(&messages.request), call].concat());
    let response = of(b'}', &message(&messages.response));
    let kind = of(b';', b"http");
    of(
        b'}',
        &[
            key("request"),
            request,
            key("response"),
            response,
            key("type"),
            kind,
        ]
        .concat(),
    )
}

fn of(tag: u8, content: &[u8]) -> Vec<u8> {
    [content.len().to_string().as_bytes(), b":", content, &[tag]].concat()
}

fn key(name: &str) -> Vec<u8> {
    of(b';', name.as_bytes())
}

fn text(value: &str) -> Vec<u8> {
    of(b',', value.as_bytes())
}
