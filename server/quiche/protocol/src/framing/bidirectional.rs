//! A client's bidirectional streams: requests, and streams of a session.

use bytes::Bytes;

use super::{ConnectionError, FRAME_DATA, FRAME_HEADERS, two_varints};

/// CANCEL_PUSH, SETTINGS, PUSH_PROMISE, GOAWAY, MAX_PUSH_ID and those reserved for HTTP/2: none of them is allowed
/// on a request stream (RFC 9114 section 7.1 table 1, section 7.2.8).
const NOT_ON_REQUEST_STREAMS: [u64; 9] = [0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0d];

/// The type that begins a bidirectional stream of a WebTransport session.
pub const WEBTRANSPORT_BIDI: u64 = 0x41;

/// What a client's bidirectional stream contains.
#[derive(Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// An encoded header block.
    Headers(Vec<u8>),
    /// Bytes of a body. That of a request is ignored, that of CONNECT holds capsules.
    Body { data: Bytes },
    /// Bytes on a stream of this session. The first event may be without data.
    Session { id: u64, data: Bytes },
    /// A header block longer than the limit. The rest of the stream is ignored.
    TooLong,
}

#[derive(Debug)]
enum RequestState {
    /// The place between two frames; `first`: before the first frame.
    Between {
        first: bool,
    },
    Headers {
        length: usize,
    },
    /// Bytes left of a DATA frame or of a frame of an unknown type.
    Skipping {
        left: u64,
        body: bool,
    },
    Session {
        id: u64,
    },
    Abandoned,
}

/// Reads a client's bidirectional stream.
#[derive(Debug)]
pub struct StreamReader {
    state: RequestState,
    pub(super) buffer: Vec<u8>,
    head_limit: usize,
    /// HEADERS frames so far: the second one holds trailers.
    heads: u8,
}

impl StreamReader {
    /// A reader at the start of a stream. `head_limit`: the most bytes that an encoded header block may have.
    pub fn new(head_limit: usize) -> Self {
        Self { state: RequestState::Between { first: true }, buffer: Vec::new(), head_limit, heads: 0 }
    }

    /// The session that the stream belongs to, if it is known to belong to one.
    pub fn session(&self) -> Option<u64> {
        if let RequestState::Session { id } = self.state { Some(id) } else { None }
    }

    /// Ignores the rest of the stream.
    pub fn abandon(&mut self) {
        self.state = RequestState::Abandoned;
    }

    /// The end of the stream: an error within a frame (RFC 9114 section 7.1).
    pub fn end(&self) -> Result<(), ConnectionError> {
        match self.state {
            RequestState::Between { .. } if self.buffer.is_empty() => Ok(()),
            RequestState::Session { .. } | RequestState::Abandoned => Ok(()),
            _ => Err(ConnectionError::Frame),
        }
    }

    /// Reads the next bytes of the stream.
    pub fn feed(&mut self, data: &[u8]) -> Result<Vec<StreamEvent>, ConnectionError> {
        if let RequestState::Session { id } = self.state {
            return Ok(vec![StreamEvent::Session { id, data: Bytes::copy_from_slice(data) }]);
        }
        self.buffer.extend_from_slice(data);
        let mut events = Vec::new();
        while self.step(&mut events)? {}
        Ok(events)
    }

    /// Reads one step; returns false when the next step needs more bytes.
    fn step(&mut self, events: &mut Vec<StreamEvent>) -> Result<bool, ConnectionError> {
        match self.state {
            RequestState::Between { first } => self.begin(first, events),
            RequestState::Headers { length } => {
                if self.buffer.len() < length {
                    return Ok(false);
                }
                events.push(StreamEvent::Headers(self.buffer.drain(..length).collect()));
                self.state = RequestState::Between { first: false };
                Ok(true)
            }
            RequestState::Skipping { left, body } => {
                let length = left.min(self.buffer.len() as u64) as usize;
                let data: Bytes = self.buffer.drain(..length).collect();
                if body && length > 0 {
                    events.push(StreamEvent::Body { data });
                }
                let left = left - length as u64;
                self.state = match left {
                    0 => RequestState::Between { first: false },
                    left => RequestState::Skipping { left, body },
                };
                Ok(left == 0)
            }
            RequestState::Session { .. } | RequestState::Abandoned => {
                self.buffer.clear();
                Ok(false)
            }
        }
    }

    fn begin(&mut self, first: bool, events: &mut Vec<StreamEvent>) -> Result<bool, ConnectionError> {
        let Some((kind, length, head)) = two_varints(&self.buffer) else { return Ok(false) };
        if NOT_ON_REQUEST_STREAMS.contains(&kind) || (kind == WEBTRANSPORT_BIDI && !first) {
            return Err(ConnectionError::FrameUnexpected);
        }
        // A head, data, trailers (RFC 9114 section 4.1).
        if kind == FRAME_DATA && self.heads != 1 || kind == FRAME_HEADERS && self.heads == 2 {
            return Err(ConnectionError::FrameUnexpected);
        }
        self.heads += u8::from(kind == FRAME_HEADERS);
        self.buffer.drain(..head);
        match kind {
            WEBTRANSPORT_BIDI => {
                self.state = RequestState::Session { id: length };
                let data = std::mem::take(&mut self.buffer).into();
                events.push(StreamEvent::Session { id: length, data });
                return Ok(false);
            }
            FRAME_HEADERS if length > self.head_limit as u64 => {
                self.state = RequestState::Abandoned;
                events.push(StreamEvent::TooLong);
            }
            FRAME_HEADERS => self.state = RequestState::Headers { length: length as usize },
            // Frames of other types are ignored, even before the headers: clients may send them (RFC 9114 section 9).
            _ => self.state = RequestState::Skipping { left: length, body: kind == FRAME_DATA },
        }
        Ok(true)
    }
}
