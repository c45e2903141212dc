//! HTTP/3's frames on a client's streams (RFC 9114 section 7), and the streams of a WebTransport session
//! (draft-ietf-webtrans-http3-02 section 4), which begin like one and then carry raw bytes.

use bytes::Bytes;

use crate::varint;

const FRAME_DATA: u64 = 0x00;
const FRAME_HEADERS: u64 = 0x01;
const FRAME_SETTINGS: u64 = 0x04;
/// CANCEL_PUSH, SETTINGS, PUSH_PROMISE, GOAWAY, MAX_PUSH_ID and those reserved for HTTP/2: none of them belongs on a
/// request stream (RFC 9114 section 7.1 table 1, section 7.2.8).
const NOT_ON_REQUEST_STREAMS: [u64; 9] = [0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0d];
const NOT_ON_CONTROL_STREAMS: [u64; 7] = [0x00, 0x01, 0x02, 0x05, 0x06, 0x08, 0x09];

/// What a bidirectional stream of a WebTransport session begins with.
pub const WEBTRANSPORT_BIDI: u64 = 0x41;

/// Settings are a few pairs of numbers.
const MAX_SETTINGS_BYTES: u64 = 4096;

/// Errors that end the connection (RFC 9114 section 8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    #[error("a second control stream, or the end of one")]
    ClosedCriticalStream,
    #[error("a stream that a client may not open")]
    StreamCreation,
    #[error("a frame where it may not stand")]
    FrameUnexpected,
    #[error("a malformed frame")]
    Frame,
    #[error("a control frame that is too long")]
    ExcessiveLoad,
    #[error("malformed settings")]
    Settings,
    #[error("a control stream without settings")]
    MissingSettings,
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
            Self::Settings => 0x109,
            Self::MissingSettings => 0x10a,
        }
    }
}

/// What comes on a client's bidirectional stream.
#[derive(Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// A header block, to be decoded.
    Headers(Vec<u8>),
    /// So many bytes of a body, which nobody reads.
    Body { length: usize },
    /// Bytes on a stream of this session; the first may be none.
    Session { id: u64, data: Bytes },
    /// A header block of more bytes than are taken; nothing else will come from this stream.
    TooLong,
}

#[derive(Debug)]
enum RequestState {
    /// Between frames; `first` for a stream that has had none.
    Between {
        first: bool,
    },
    Headers {
        length: usize,
    },
    /// Bytes left of a DATA frame or of one that is not known.
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
    buffer: Vec<u8>,
    head_limit: usize,
}

impl StreamReader {
    /// `head_limit`: bytes of an encoded header block.
    pub fn new(head_limit: usize) -> Self {
        Self { state: RequestState::Between { first: true }, buffer: Vec::new(), head_limit }
    }

    /// The session that the stream belongs to, once that is known.
    pub fn session(&self) -> Option<u64> {
        if let RequestState::Session { id } = self.state { Some(id) } else { None }
    }

    /// What the stream's next bytes bring.
    pub fn feed(&mut self, data: &[u8]) -> Result<Vec<StreamEvent>, ConnectionError> {
        if let RequestState::Session { id } = self.state {
            return Ok(vec![StreamEvent::Session { id, data: Bytes::copy_from_slice(data) }]);
        }
        self.buffer.extend_from_slice(data);
        let mut events = Vec::new();
        while self.step(&mut events)? {}
        Ok(events)
    }

    /// One step; false when more bytes are needed for the next.
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
                self.buffer.drain(..length);
                if body && length > 0 {
                    events.push(StreamEvent::Body { length });
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
        if kind == FRAME_DATA && first {
            return Err(ConnectionError::FrameUnexpected);
        }
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
            // A frame of another kind, even before the headers, is ignored: RFC 9114 section 9 has clients send some.
            _ => self.state = RequestState::Skipping { left: length, body: kind == FRAME_DATA },
        }
        Ok(true)
    }
}

/// What kind of stream a client's unidirectional stream is.
#[derive(Debug)]
enum UniState {
    Unknown,
    Control {
        settings_seen: bool,
        left: u64,
    },
    /// QPACK's: without a dynamic table nothing on them matters.
    Ignored {
        critical: bool,
    },
}

/// What a client's unidirectional stream turns out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum UniEvent {
    /// The control stream; a client has one.
    Control,
    /// A stream that the server has no use for; it may be stopped.
    Unwanted,
}

/// Reads a client's unidirectional stream.
#[derive(Debug)]
pub struct UniReader {
    state: UniState,
    buffer: Vec<u8>,
}

impl Default for UniReader {
    fn default() -> Self {
        Self { state: UniState::Unknown, buffer: Vec::new() }
    }
}

impl UniReader {
    /// What the stream's next bytes bring; `fin`: they are the last.
    pub fn feed(&mut self, data: &[u8], fin: bool) -> Result<Option<UniEvent>, ConnectionError> {
        let mut event = None;
        if !matches!(self.state, UniState::Ignored { .. }) {
            self.buffer.extend_from_slice(data);
        }
        if matches!(self.state, UniState::Unknown) {
            event = self.recognize()?;
        }
        if let UniState::Control { .. } = self.state {
            while self.control_step()? {}
        }
        match self.state {
            UniState::Control { .. } | UniState::Ignored { critical: true } if fin => {
                Err(ConnectionError::ClosedCriticalStream)
            }
            _ => Ok(event),
        }
    }

    fn recognize(&mut self) -> Result<Option<UniEvent>, ConnectionError> {
        let Some((kind, length)) = varint::decode(&self.buffer) else { return Ok(None) };
        self.buffer.drain(..length);
        let (state, event) = match kind {
            0x00 => (UniState::Control { settings_seen: false, left: 0 }, Some(UniEvent::Control)),
            0x01 => return Err(ConnectionError::StreamCreation), // Only servers push.
            0x02 | 0x03 => (UniState::Ignored { critical: true }, None),
            _ => (UniState::Ignored { critical: false }, Some(UniEvent::Unwanted)),
        };
        self.state = state;
        if !matches!(self.state, UniState::Control { .. }) {
            self.buffer = Vec::new();
        }
        Ok(event)
    }

    /// One frame, or a part of one that is skipped; false when more bytes are needed.
    fn control_step(&mut self) -> Result<bool, ConnectionError> {
        let UniState::Control { settings_seen, left } = &mut self.state else { return Ok(false) };
        if *left > 0 {
            let length = (*left).min(self.buffer.len() as u64);
            self.buffer.drain(..length as usize);
            *left -= length;
            return Ok(*left == 0);
        }
        let Some((kind, length, head)) = two_varints(&self.buffer) else { return Ok(false) };
        if kind == FRAME_SETTINGS && !*settings_seen {
            if length > MAX_SETTINGS_BYTES {
                return Err(ConnectionError::ExcessiveLoad);
            }
            let end = head + length as usize;
            let Some(payload) = self.buffer.get(head..end) else { return Ok(false) };
            check_settings(payload)?;
            *settings_seen = true;
            self.buffer.drain(..end);
            return Ok(true);
        }
        if !*settings_seen {
            return Err(ConnectionError::MissingSettings);
        }
        if kind == FRAME_SETTINGS || NOT_ON_CONTROL_STREAMS.contains(&kind) {
            return Err(ConnectionError::FrameUnexpected);
        }
        self.buffer.drain(..head);
        *left = length;
        Ok(true)
    }
}

/// Pairs of numbers, no name twice (RFC 9114 section 7.2.4).
fn check_settings(mut payload: &[u8]) -> Result<(), ConnectionError> {
    let mut names = Vec::new();
    while !payload.is_empty() {
        let (name, _, length) = two_varints(payload).ok_or(ConnectionError::Frame)?;
        if names.contains(&name) {
            return Err(ConnectionError::Settings);
        }
        names.push(name);
        payload = &payload[length..];
    }
    Ok(())
}

/// Two numbers and their length together.
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

/// A HEADERS frame of an encoded header block.
pub fn headers_frame(block: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(block.len() + 8);
    frame_head(FRAME_HEADERS, block.len() as u64, &mut frame);
    frame.extend_from_slice(block);
    frame
}

/// What stands before `length` bytes of a body.
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
