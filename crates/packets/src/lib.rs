//! HTTP exchanges from packet captures (pcap, pcapng), and the framing of HTTP/1.1 messages.
//!
//! An [`Assembler`] takes the bytes of a capture as they are read. It reassembles connections from packets, and HTTP/1.1
//! (RFC 9112) and HTTP/2 (RFC 9113, with HPACK, RFC 7541) messages from connections. Only unfinished messages are kept, within
//! limits: if there are too many connections, or they hold too much, those that have been idle longest are closed.
//!
//! A [`Framer`] finds the end of a message by its bytes alone; a [`WireExchange`] hands over a framed request and its response
//! as an exchange. Other recordings of messages use them, too.
//!
//! ```
//! use sundown_exchange::Side;
//! use sundown_packets::{FrameProgress, Framer};
//!
//! let bytes = b"POST /v1/orders HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}";
//! let FrameProgress::Done(frame) = Framer::new(Side::Request).advance(bytes, None, true) else {
//!     panic!("the message is complete");
//! };
//! assert_eq!(frame.end, bytes.len());
//! ```

mod assembled;
mod assembler;
mod connection;
mod field_section;
mod frame;
mod hpack;
mod http1_direction;
mod http2;
mod message;
mod opaque;
mod packets;
mod segment;
mod stream;

pub use assembled::Output;
pub use assembler::{Assembler, read_outputs};
pub use field_section::FieldSection;
pub use frame::{
    FrameError, FrameProgress, Framer, Head, MessageFrame, could_begin, is_field, is_first_line,
    next_start, side_at,
};
pub use message::{MessageBytes, WireExchange, WireMessage, broken, method_of, orphan, status_of};
pub use packets::is_capture;
