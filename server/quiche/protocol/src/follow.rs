//! The body of a response that follows a growing file: records (docs/PROTOCOL.md, "Growing files").

use std::time::Duration;

use crate::error::Status;
use crate::response::encode_head;
use crate::varint;
use crate::vxl::FIRST_OWN_TYPE;

/// The last chunk of the chunked coding (RFC 9112 section 7.1), without trailers.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

const BYTES: u64 = FIRST_OWN_TYPE;
const SENT: u64 = FIRST_OWN_TYPE + 1;
const FRAMES: u64 = FIRST_OWN_TYPE + 2;

/// The head of the response. `flow`: of the datagrams; `None`: frames come on the stream.
pub fn follow_head(flow: Option<u64>) -> String {
    let flow = flow.map(|flow| format!("?1;flow={flow}"));
    let unreliable = flow.iter().map(|flow| ("x-voxel-unreliable", flow.as_str()));
    let first = [("x-voxel-follow", "?1")];
    encode_head(Status::Ok, first.into_iter().chain(unreliable).chain([("transfer-encoding", "chunked")]))
}

/// A piece of a body, not empty, in the chunked coding.
pub fn coded(data: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", data.len()).as_bytes(), data, b"\r\n"].concat()
}

/// The next reliable bytes of the chunk announced last.
pub fn bytes_record(data: &[u8]) -> Vec<u8> {
    record(BYTES, &[], data)
}

/// Bytes of one frame, at their place in the concatenation of all frames.
pub fn frames_record(offset: u64, data: &[u8]) -> Vec<u8> {
    record(FRAMES, &[offset], data)
}

/// What was sent of the frames of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The chunk's number in this response.
    pub chunk: u64,
    pub bytes: u64,
    pub datagrams: u64,
    /// Smoothed round trip; `None` before the first sample.
    pub smoothed_rtt: Option<Duration>,
    /// The congestion window, in bytes.
    pub window: u64,
}

pub fn sent_record(sent: &Sent) -> Vec<u8> {
    let rtt = sent.smoothed_rtt.map_or(0, |rtt| (rtt.as_secs_f64() * 1e3).round() as u64);
    record(SENT, &[sent.chunk, sent.bytes, sent.datagrams, rtt, sent.window], &[])
}

fn record(number: u64, values: &[u64], data: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    for value in values {
        varint::encode(*value, &mut content);
    }
    let mut record = Vec::new();
    varint::encode(number, &mut record);
    varint::encode((content.len() + data.len()) as u64, &mut record);
    record.extend_from_slice(&content);
    record.extend_from_slice(data);
    record
}
