//! The frames of the protocol: header lines with the length, an empty line, and a message in JSON.

use std::io::{self, BufRead, Read as _, Write};

use serde_json::Value;

/// The size of the largest message, in bytes: escaped, a document may take several times its size.
const MAX_MESSAGE: u64 = 64 << 20;

/// How much of a header line is read at once. One that is longer has no meaning.
const MAX_HEADER: u64 = 1024;

/// Reads a message; `None` at the end of input. After an error of invalid data, the next message can be read.
pub(super) fn read_frame(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                length = value.trim().parse().ok();
            }
            None if line.trim().is_empty() => break,
            _ => {}
        }
    }
    let length: u64 = length.ok_or_else(|| invalid("a message without its length"))?;
    let mut content = input.take(length);
    if length > MAX_MESSAGE {
        io::copy(&mut content, &mut io::sink())?;
        return Err(invalid("a message of more than 64 MiB"));
    }
    let mut bytes = Vec::new();
    content.read_to_end(&mut bytes)?;
    let message = serde_json::from_slice::<Value>(&bytes);
    // The text of the error may have a value.
    message
        .map(Some)
        .map_err(|_| invalid("a message that is no JSON"))
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Writes a message.
pub(super) fn write_frame(out: &mut impl Write, message: &Value) -> io::Result<()> {
    let content = message.to_string();
    write!(out, "Content-Length: {}\r\n\r\n{content}", content.len())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(mut input: &[u8]) -> Vec<String> {
        std::iter::from_fn(|| match read_frame(&mut input) {
            Ok(message) => message.map(|message| message.to_string()),
            Err(error) => Some(error.to_string()),
        })
        .collect()
    }

    #[test]
    fn a_frame_that_is_no_message_does_not_hide_the_next() {
        let next = "Content-Length: 2\r\n\r\n{}";
        for (frame, expected) in [
            ("content-length:3\r\nContent-Type: x\r\n\r\n[1]", "[1]"),
            ("Content-Length: 4\r\n\r\nnull", "null"),
            ("Content-Length: 3\r\n\r\n{x}", "a message that is no JSON"),
            ("X: 1\r\n\r\n", "a message without its length"),
            ("Content-Length: -1\r\n\r\n", "a message without its length"),
            (
                "Content-Length: 99999999999999999999\n\n",
                "a message without its length",
            ),
            (
                &format!("X: {}\r\nContent-Length: 1\r\n\r\n1", "x".repeat(4096)),
                "1",
            ),
        ] {
            assert_eq!(
                read_all(format!("{frame}{next}").as_bytes()),
                [expected, "{}"],
                "{frame}"
            );
        }
    }

    #[test]
    fn a_message_that_is_too_large_is_skipped() {
        let size = usize::try_from(MAX_MESSAGE).unwrap() + 1;
        let mut frames = format!("Content-Length: {size}\r\n\r\n").into_bytes();
        frames.resize(frames.len() + size, b' ');
        frames.extend(b"Content-Length: 2\r\n\r\n{}");
        assert_eq!(read_all(&frames), ["a message of more than 64 MiB", "{}"]);
    }

    #[test]
    fn what_is_cut_off_ends() {
        for frame in [
            "",
            "Content-Le",
            "Content-Length: 9\r\n",
            "Content-Length: 9\r\n\r\n[1",
        ] {
            let last = read_all(frame.as_bytes());
            assert!(last.len() <= 1, "{frame}: {last:?}");
        }
    }
}
