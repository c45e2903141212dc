//! HTTP/3's frames on a client's streams (RFC 9114 section 7), and the streams of a WebTransport session
//! (draft-ietf-webtrans-http3-02 section 4), which begin like one and then carry raw bytes.

mod bidirectional;
mod unidirectional;

use crate::varint;

pub use bidirectional::{StreamEvent, StreamReader, WEBTRANSPORT_BIDI};
pub use unidirectional::{Critical, UniEvent, UniReader};

const FRAME_DATA: u64 = 0x00;
const FRAME_HEADERS: u64 = 0x01;
const FRAME_CANCEL_PUSH: u64 = 0x03;
const FRAME_SETTINGS: u64 = 0x04;
const FRAME_GOAWAY: u64 = 0x07;
const FRAME_MAX_PUSH_ID: u64 = 0x0d;

/// Errors that end the connection (RFC 9114 section 8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    #[error("a critical stream was closed")]
    ClosedCriticalStream,
    #[error("a stream that a client may not open, or a second control stream")]
    StreamCreation,
    #[error("a frame that is not allowed here")]
    FrameUnexpected,
    #[error("a malformed frame")]
    Frame,
    #[error("a SETTINGS frame that is too long")]
    ExcessiveLoad,
    #[error("a setting that occurs twice, belongs to HTTP/2 or has no such value")]
    Settings,
    #[error("a push that is not known, or fewer of them than before")]
    Id,
    #[error("the control stream does not begin with SETTINGS")]
    MissingSettings,
    #[error("a field section that cannot be decoded")]
    QpackDecompression,
    #[error("an instruction for a dynamic table, of which there is none")]
    QpackEncoderStream,
}

impl ConnectionError {
    /// The code on the wire.
    pub const fn code(self) -> u64 {
        match self {
            Self::StreamCreation => 0x103,
            Self::ClosedCriticalStream => 0x104,
            Self::FrameUnexpected => 0x105,
            Self::Frame => 0x106,
            Self::ExcessiveLoad => 0x107,
            Self::Id => 0x108,
            Self::Settings => 0x109,
            Self::MissingSettings => 0x10a,
            Self::QpackDecompression => 0x200,
            Self::QpackEncoderStream => 0x201,
        }
    }
}

/// Two varints and the length of both.
fn two_varints(data: &[u8]) -> Option<(u64, u64, usize)> {
    let (first, length) = varint::decode(data)?;
    let (second, more) = varint::decode(&data[length..])?;
    Some((first, second, length + more))
}

/// The server's control stream: its type and the settings.
pub fn control_stream(settings: &[(u64, u64)]) -> Vec<u8> {
    let mut payload = Vec::new();
    for (name, value) in settings {
        varint::encode(*name, &mut payload);
        varint::encode(*value, &mut payload);
    }
    let mut stream = vec![0x00];
    frame_head(FRAME_SETTINGS, payload.len() as u64, &mut stream);
    stream.extend(payload);
    stream
}

/// The frame on the control stream that says that the server is about to stop; no request that was sent is lost by it,
/// as it names the highest stream that a client can open for one (RFC 9114 section 5.2).
pub fn goaway_frame() -> Vec<u8> {
    let mut stream = Vec::new();
    varint::encode(varint::MAX - 3, &mut stream);
    let mut frame = Vec::new();
    frame_head(FRAME_GOAWAY, stream.len() as u64, &mut frame);
    frame.extend(stream);
    frame
}

/// A HEADERS frame of an encoded header block.
pub fn headers_frame(block: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(block.len() + 8);
    frame_head(FRAME_HEADERS, block.len() as u64, &mut frame);
    frame.extend_from_slice(block);
    frame
}

/// The head of a DATA frame of `length` bytes.
pub fn data_frame_head(length: usize) -> Vec<u8> {
    let mut head = Vec::with_capacity(9);
    frame_head(FRAME_DATA, length as u64, &mut head);
    head
}

fn frame_head(kind: u64, length: u64, out: &mut Vec<u8>) {
    varint::encode(kind, out);
    varint::encode(length, out);
}

#[cfg(test)]
mod tests;
