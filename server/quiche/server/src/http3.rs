//! What a client's streams mean in HTTP/3 (RFC 9114), with WebTransport's (draft-ietf-webtrans-http3): no I/O.

use std::collections::HashMap;

use bytes::Bytes;
use quiche::h3::{Header, NameValue, qpack};
use voxel_protocol::error::Status;
use voxel_protocol::framing::{
    ConnectionError, StreamEvent, StreamReader, UniEvent, UniReader, control_stream, data_frame_head, headers_frame,
};
use voxel_protocol::head::Headers;
use voxel_protocol::varint;

/// A value on its way may grow: `%`-escapes do not, and a header block has a few names beside it.
const ENCODE_OVERHEAD_BYTES: usize = 64;

/// CLOSE_WEBTRANSPORT_SESSION (draft-ietf-webtrans-http3-02 section 5).
const CAPSULE_CLOSE_SESSION: u64 = 0x2843;

/// The server's control stream: its first unidirectional one.
pub const CONTROL_STREAM: u64 = 3;

/// WEBTRANSPORT_BUFFERED_STREAM_REJECTED: a stream of no session (draft-ietf-webtrans-http3-02 section 4.5).
pub const BUFFERED_STREAM_REJECTED: u64 = 0x3994_bd84;

/// WebTransport's stream error 0 as an HTTP/3 error code (draft-ietf-webtrans-http3-02 section 4.3).
pub const WEBTRANSPORT_ERROR_0: u64 = 0x52e4_a40f_a8db;

pub const H3_NO_ERROR: u64 = 0x100;
pub const H3_EXCESSIVE_LOAD: u64 = 0x107;
pub const H3_MESSAGE_ERROR: u64 = 0x10e;

const SETTING_QPACK_MAX_TABLE_CAPACITY: u64 = 0x01;
const SETTING_QPACK_BLOCKED_STREAMS: u64 = 0x07;
const SETTING_EXTENDED_CONNECT: u64 = 0x08;
const SETTING_H3_DATAGRAM: u64 = 0x33;
/// Drafts 02, 07 and 13; value 1 keeps the flow control of sessions off.
const SETTINGS_WEBTRANSPORT: [u64; 3] = [0x2b60_3742, 0xc671_706a, 0x14e9_cd29];

/// The first bytes of the control stream.
pub fn settings(webtransport: bool) -> Vec<u8> {
    let mut settings = vec![(SETTING_QPACK_MAX_TABLE_CAPACITY, 0), (SETTING_QPACK_BLOCKED_STREAMS, 0)];
    if webtransport {
        settings.extend([(SETTING_EXTENDED_CONNECT, 1), (SETTING_H3_DATAGRAM, 1)]);
        settings.extend(SETTINGS_WEBTRANSPORT.map(|setting| (setting, 1)));
    }
    control_stream(&settings)
}

/// A request's head.
#[derive(Debug, Default)]
pub struct Head {
    pub method: String,
    /// `:path`
    pub target: String,
    pub authority: String,
    /// `:protocol` of an extended CONNECT (RFC 9220).
    pub protocol: Option<String>,
    pub headers: Headers,
}

/// What a client's stream brings.
#[derive(Debug)]
pub enum Http3Event {
    Request {
        stream: u64,
        head: Head,
    },
    /// A request whose head is longer than is taken.
    HeadTooLong {
        stream: u64,
    },
    /// A request that is none.
    Malformed {
        stream: u64,
    },
    /// Bytes on a stream of a session.
    SessionData {
        stream: u64,
        session: u64,
        data: Bytes,
        fin: bool,
    },
    /// The client has ended an HTTP/3 stream.
    Ended {
        stream: u64,
    },
    /// A unidirectional stream that nobody reads.
    Unwanted {
        stream: u64,
    },
}

#[derive(Debug)]
struct RequestStream {
    reader: StreamReader,
    head_seen: bool,
}

/// Reads all streams of one client.
#[derive(Debug)]
pub struct Http3 {
    requests: HashMap<u64, RequestStream>,
    unidirectional: HashMap<u64, UniReader>,
    control_seen: bool,
    head_limit: usize,
}

impl Http3 {
    pub fn new(head_limit: usize) -> Self {
        Self { requests: HashMap::new(), unidirectional: HashMap::new(), control_seen: false, head_limit }
    }

    /// The next bytes of a client's stream; `fin`: they are the last.
    pub fn feed(&mut self, stream: u64, data: &[u8], fin: bool) -> Result<Vec<Http3Event>, ConnectionError> {
        if is_bidirectional(stream) { self.feed_request(stream, data, fin) } else { self.feed_uni(stream, data, fin) }
    }

    /// The client has reset its side of the stream.
    pub fn reset(&mut self, stream: u64) -> Result<(), ConnectionError> {
        self.requests.remove(&stream);
        let Some(mut reader) = self.unidirectional.remove(&stream) else { return Ok(()) };
        reader.feed(&[], true).map(|_| ())
    }

    fn feed_request(&mut self, stream: u64, data: &[u8], fin: bool) -> Result<Vec<Http3Event>, ConnectionError> {
        let limit = self.head_limit;
        let request = self
            .requests
            .entry(stream)
            .or_insert_with(|| RequestStream { reader: StreamReader::new(limit), head_seen: false });
        let mut events = Vec::new();
        for event in request.reader.feed(data)? {
            match event {
                StreamEvent::Headers(block) if !request.head_seen => {
                    request.head_seen = true;
                    events.push(match decode_head(&block, limit) {
                        Ok(head) => Http3Event::Request { stream, head },
                        Err(DecodeError::TooLong) => Http3Event::HeadTooLong { stream },
                        Err(DecodeError::Malformed) => Http3Event::Malformed { stream },
                    });
                }
                // Trailers, and bodies, which no request of ours has.
                StreamEvent::Headers(_) | StreamEvent::Body { .. } => {}
                StreamEvent::TooLong => events.push(Http3Event::HeadTooLong { stream }),
                StreamEvent::Session { id, data } => {
                    events.push(Http3Event::SessionData { stream, session: id, data, fin: false });
                }
            }
        }
        if fin {
            match (events.last_mut(), request.reader.session()) {
                (Some(Http3Event::SessionData { fin, .. }), _) => *fin = true,
                (_, Some(session)) => {
                    events.push(Http3Event::SessionData { stream, session, data: Bytes::new(), fin: true });
                }
                (_, None) if request.head_seen => events.push(Http3Event::Ended { stream }),
                (_, None) => events.push(Http3Event::Malformed { stream }),
            }
            self.requests.remove(&stream);
        }
        Ok(events)
    }

    fn feed_uni(&mut self, stream: u64, data: &[u8], fin: bool) -> Result<Vec<Http3Event>, ConnectionError> {
        let event = self.unidirectional.entry(stream).or_default().feed(data, fin)?;
        if fin {
            self.unidirectional.remove(&stream);
        }
        match event {
            Some(UniEvent::Control) if self.control_seen => Err(ConnectionError::StreamCreation),
            Some(UniEvent::Control) => {
                self.control_seen = true;
                Ok(Vec::new())
            }
            Some(UniEvent::Unwanted) => Ok(vec![Http3Event::Unwanted { stream }]),
            None => Ok(Vec::new()),
        }
    }
}

/// RFC 9000 section 2.1.
pub fn is_bidirectional(stream: u64) -> bool {
    stream & 0x2 == 0
}

enum DecodeError {
    TooLong,
    Malformed,
}

fn decode_head(block: &[u8], limit: usize) -> Result<Head, DecodeError> {
    let fields = qpack::Decoder::new().decode(block, limit as u64).map_err(|error| match error {
        qpack::Error::HeaderListTooLarge => DecodeError::TooLong,
        _ => DecodeError::Malformed,
    })?;
    head_of(&fields).ok_or(DecodeError::Malformed)
}

/// RFC 9114 section 4.3; `None` for what is malformed.
fn head_of(fields: &[Header]) -> Option<Head> {
    let mut head = Head::default();
    let mut pseudo_allowed = true;
    for field in fields {
        let (name, value) = (std::str::from_utf8(field.name()).ok()?, field.value());
        if name.is_empty() || name.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii_graphic()) {
            return None;
        }
        if value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            return None;
        }
        if !name.starts_with(':') {
            pseudo_allowed = false;
            head.headers.add(name, value);
            continue;
        }
        let text: String = value.iter().map(|byte| char::from(*byte)).collect();
        let place = match name {
            ":method" => &mut head.method,
            ":path" => &mut head.target,
            ":authority" => &mut head.authority,
            ":scheme" => continue,
            ":protocol" if head.protocol.is_none() => head.protocol.insert(String::new()),
            _ => return None,
        };
        if !pseudo_allowed || !place.is_empty() {
            return None;
        }
        *place = text;
    }
    if head.authority.is_empty() {
        head.headers.get("host").unwrap_or_default().clone_into(&mut head.authority);
    }
    let path_needed = head.method != "CONNECT" || head.protocol.is_some();
    let complete = !head.method.is_empty() && (!path_needed || !head.target.is_empty());
    complete.then_some(head)
}

/// A HEADERS frame.
pub fn encode_response_head<'a>(status: Status, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<u8> {
    let mut fields = vec![(":status".to_owned(), status.code().to_string().into_bytes())];
    // ISO-8859-1, as they came.
    let latin1 = |value: &str| value.chars().map(|it| it as u8).collect::<Vec<_>>();
    fields.extend(headers.into_iter().map(|(name, value)| (name.to_owned(), latin1(value))));
    let length: usize = fields.iter().map(|(name, value)| name.len() + value.len() + ENCODE_OVERHEAD_BYTES).sum();
    let mut block = vec![0; length];
    // It fits: a literal takes its length and a few bytes.
    let used = qpack::Encoder::new().encode(&fields, &mut block).unwrap_or_default();
    headers_frame(&block[..used])
}

/// A DATA frame's head.
pub fn encode_data_head(length: usize) -> Vec<u8> {
    data_frame_head(length)
}

/// The DATA frame that ends a session, with application error code 0 and a reason.
pub fn encode_close_session(reason: &str) -> Vec<u8> {
    let mut capsule = Vec::new();
    varint::encode(CAPSULE_CLOSE_SESSION, &mut capsule);
    varint::encode(4 + reason.len() as u64, &mut capsule);
    capsule.extend([0; 4]);
    capsule.extend(reason.as_bytes());
    let mut frame = data_frame_head(capsule.len());
    frame.extend(capsule);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(fields: &[(&str, &str)]) -> Option<Head> {
        let fields: Vec<_> =
            fields.iter().map(|(name, value)| Header::new(name.as_bytes(), value.as_bytes())).collect();
        head_of(&fields)
    }

    #[test]
    fn a_request_and_a_connect() {
        let request = head(&[(":method", "GET"), (":scheme", "https"), (":path", "/a"), ("host", "b")]).unwrap();
        assert_eq!((request.target.as_str(), request.authority.as_str()), ("/a", "b"));
        let fields = [(":method", "CONNECT"), (":protocol", "webtransport"), (":path", "/voxel"), (":authority", "b")];
        assert_eq!(head(&fields).unwrap().protocol.as_deref(), Some("webtransport"));
    }

    #[test]
    fn malformed_heads_are_refused() {
        for fields in [
            &[(":method", "GET")][..],
            &[(":method", "GET"), (":path", "/"), (":path", "/")],
            &[(":method", "GET"), (":path", "/"), ("Host", "a")],
            &[(":method", "GET"), ("a", "b"), (":path", "/")],
            &[(":method", "GET"), (":path", "/"), (":unknown", "")],
            &[(":method", "GET"), (":path", "/"), ("a", "b\r\nc: d")],
        ] {
            assert!(head(fields).is_none(), "{fields:?}");
        }
    }

    #[test]
    fn a_response_head_comes_back() {
        let long = "x".repeat(10_000);
        let frame = encode_response_head(Status::PartialContent, [("content-type", "video/mp4"), ("x-long", &long)]);
        let mut reader = StreamReader::new(20_000);
        let events = reader.feed(&frame).unwrap();
        let [StreamEvent::Headers(block)] = &events[..] else { panic!("{events:?}") };
        let fields = qpack::Decoder::new().decode(block, 20_000).unwrap();
        assert_eq!(fields[0], Header::new(b":status", b"206"));
        assert_eq!(fields[2], Header::new(b"x-long", long.as_bytes()));
    }
}
