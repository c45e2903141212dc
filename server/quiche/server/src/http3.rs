//! A client's streams in HTTP/3 (RFC 9114) and WebTransport (draft-ietf-webtrans-http3), without I/O.

mod head;

use std::collections::HashMap;

use bytes::Bytes;
use voxel_protocol::capsules::close_session;
use voxel_protocol::framing::{
    ConnectionError, Critical, StreamEvent, StreamReader, UniEvent, UniReader, control_stream, data_frame_head,
};

use head::{DecodeError, check_trailers, decode_head};
pub use head::{Head, encode_response_head};

/// The server's control stream: its first unidirectional stream.
pub const CONTROL_STREAM: u64 = 3;

/// WEBTRANSPORT_BUFFERED_STREAM_REJECTED: a stream without a session (draft-ietf-webtrans-http3-02 section 4.5).
pub const BUFFERED_STREAM_REJECTED: u64 = 0x3994_bd84;

/// WebTransport's stream error 0 as an HTTP/3 error code (draft-ietf-webtrans-http3-02 section 4.3).
pub const WEBTRANSPORT_ERROR_0: u64 = 0x52e4_a40f_a8db;

pub const H3_NO_ERROR: u64 = 0x100;
pub const H3_EXCESSIVE_LOAD: u64 = 0x107;
pub const H3_REQUEST_INCOMPLETE: u64 = 0x10d;
pub const H3_MESSAGE_ERROR: u64 = 0x10e;

const SETTING_QPACK_MAX_TABLE_CAPACITY: u64 = 0x01;
const SETTING_QPACK_BLOCKED_STREAMS: u64 = 0x07;
const SETTING_EXTENDED_CONNECT: u64 = 0x08;
const SETTING_H3_DATAGRAM: u64 = 0x33;
/// Settings of drafts 02, 07 and 13. The value 1 allows one session and keeps the flow control of sessions off. That of
/// draft 15 (0x2c7c_f000) demands the transport parameter reset_stream_at, which quiche 0.30 lacks.
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

/// What a client's stream contains.
#[derive(Debug)]
pub enum Http3Event {
    Request(Head),
    /// A request whose head is longer than the limit.
    HeadTooLong,
    /// The stream ended before a request.
    Incomplete,
    /// An invalid request.
    Malformed,
    /// Bytes on a stream of a session.
    SessionData {
        session: u64,
        data: Bytes,
        fin: bool,
    },
    /// Bytes of a body.
    Body(Bytes),
    /// The client has ended an HTTP/3 stream.
    Ended,
    /// A unidirectional stream of a type that the server does not use.
    Unwanted,
}

#[derive(Debug)]
struct RequestStream {
    reader: StreamReader,
    head_seen: bool,
    /// Bytes that are still to come according to content-length.
    announced: Option<u64>,
}

/// Reads all streams of one client.
#[derive(Debug)]
pub struct Http3 {
    requests: HashMap<u64, RequestStream>,
    unidirectional: HashMap<u64, UniReader>,
    critical_seen: Vec<Critical>,
    head_limit: usize,
}

impl Http3 {
    pub fn new(head_limit: usize) -> Self {
        Self { requests: HashMap::new(), unidirectional: HashMap::new(), critical_seen: Vec::new(), head_limit }
    }

    /// Reads the next bytes of a client's stream; `fin`: whether they are the last.
    pub fn feed(&mut self, stream: u64, data: &[u8], fin: bool) -> Result<Vec<Http3Event>, ConnectionError> {
        if is_bidirectional(stream) { self.feed_request(stream, data, fin) } else { self.feed_uni(stream, data, fin) }
    }

    /// Whether bytes of this request's stream have arrived, and not yet its end.
    pub fn is_open(&self, stream: u64) -> bool {
        self.requests.contains_key(&stream)
    }

    /// The client has reset its side of the stream.
    pub fn reset(&mut self, stream: u64) -> Result<(), ConnectionError> {
        self.requests.remove(&stream);
        let Some(mut reader) = self.unidirectional.remove(&stream) else { return Ok(()) };
        reader.feed(&[], true).map(|_| ())
    }

    fn feed_request(&mut self, stream: u64, data: &[u8], fin: bool) -> Result<Vec<Http3Event>, ConnectionError> {
        let limit = self.head_limit;
        let request = self.requests.entry(stream).or_insert_with(|| RequestStream {
            reader: StreamReader::new(limit),
            head_seen: false,
            announced: None,
        });
        let mut events = Vec::new();
        for event in request.reader.feed(data)? {
            match event {
                StreamEvent::Headers(block) => {
                    let decoded = if request.head_seen {
                        check_trailers(&block, limit).map(|()| None)
                    } else {
                        decode_head(&block, limit).map(Some)
                    };
                    request.head_seen = true;
                    match decoded {
                        Ok(Some(head)) => {
                            request.announced = head.content_length;
                            events.push(Http3Event::Request(head));
                        }
                        // Bodies and trailers mean nothing: GET, HEAD and OPTIONS have neither.
                        Ok(None) => {}
                        Err(DecodeError::Undecodable) => return Err(ConnectionError::QpackDecompression),
                        Err(DecodeError::TooLong) => events.push(Http3Event::HeadTooLong),
                        Err(DecodeError::Malformed) => return Ok(self.malformed(stream, fin)),
                    }
                }
                StreamEvent::Body { data } => {
                    match request.announced.map(|left| left.checked_sub(data.len() as u64)) {
                        Some(None) => return Ok(self.malformed(stream, fin)),
                        left => request.announced = left.flatten(),
                    }
                    events.push(Http3Event::Body(data));
                }
                StreamEvent::TooLong => {
                    request.head_seen = true;
                    events.push(Http3Event::HeadTooLong);
                }
                StreamEvent::Session { id, data } => {
                    events.push(Http3Event::SessionData { session: id, data, fin: false });
                }
            }
        }
        if fin {
            request.reader.end()?;
            if request.announced.is_some_and(|left| left > 0) {
                return Ok(self.malformed(stream, fin));
            }
            match (events.last_mut(), request.reader.session()) {
                (Some(Http3Event::SessionData { fin, .. }), _) => *fin = true,
                (_, Some(session)) => {
                    events.push(Http3Event::SessionData { session, data: Bytes::new(), fin: true });
                }
                (_, None) if request.head_seen => events.push(Http3Event::Ended),
                (_, None) => events.push(Http3Event::Incomplete),
            }
            self.requests.remove(&stream);
        }
        Ok(events)
    }

    /// Ends a stream with an invalid request: nothing else of it matters.
    fn malformed(&mut self, stream: u64, fin: bool) -> Vec<Http3Event> {
        match self.requests.get_mut(&stream) {
            Some(request) if !fin => {
                request.announced = None;
                request.reader.abandon();
            }
            _ => drop(self.requests.remove(&stream)),
        }
        vec![Http3Event::Malformed]
    }

    fn feed_uni(&mut self, stream: u64, data: &[u8], fin: bool) -> Result<Vec<Http3Event>, ConnectionError> {
        let event = self.unidirectional.entry(stream).or_default().feed(data, fin)?;
        if fin {
            self.unidirectional.remove(&stream);
        }
        match event {
            Some(UniEvent::Critical(kind)) if self.critical_seen.contains(&kind) => {
                Err(ConnectionError::StreamCreation)
            }
            Some(UniEvent::Critical(kind)) => {
                self.critical_seen.push(kind);
                Ok(Vec::new())
            }
            Some(UniEvent::Unwanted) => Ok(vec![Http3Event::Unwanted]),
            None => Ok(Vec::new()),
        }
    }
}

/// Whether a stream is bidirectional (RFC 9000 section 2.1).
pub fn is_bidirectional(stream: u64) -> bool {
    stream & 0x2 == 0
}

/// The DATA frame that ends a session.
pub fn encode_close_session(code: u32, reason: &str) -> Vec<u8> {
    let capsule = close_session(code, reason);
    let mut frame = data_frame_head(capsule.len());
    frame.extend(capsule);
    frame
}
