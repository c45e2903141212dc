//! A client's unidirectional streams: control, QPACK and those of unknown types.

use super::{ConnectionError, FRAME_CANCEL_PUSH, FRAME_MAX_PUSH_ID, FRAME_SETTINGS, two_varints};
use crate::varint;

const NOT_ON_CONTROL_STREAMS: [u64; 7] = [0x00, 0x01, 0x02, 0x05, 0x06, 0x08, 0x09];

/// Most bytes of settings: far more than the few pairs of numbers that they are.
const MAX_SETTINGS_BYTES: u64 = 4096;

/// Settings of HTTP/2 that HTTP/3 reserves (RFC 9114 section 11.2.2).
const OF_HTTP2: [u64; 5] = [0x00, 0x02, 0x03, 0x04, 0x05];

/// Extended CONNECT (RFC 9220), datagrams (RFC 9297) and WebTransport of draft 02 are 0 or 1.
const BOOLEAN: [u64; 3] = [0x08, 0x33, 0x2b60_3742];

const MAX_VARINT_BYTES: u64 = 8;

/// The one instruction for a table that has no room (RFC 9204 section 4.3.1).
const TABLE_OF_NO_BYTES: u8 = 0x20;

/// The type of a client's unidirectional stream.
#[derive(Debug, Default)]
enum UniState {
    #[default]
    Unknown,
    Control {
        settings_seen: bool,
        left: u64,
        max_push_id: u64,
    },
    QpackEncoder,
    /// The decoder's stream, on which nothing matters without a dynamic table.
    QpackDecoder,
    /// A stream of an unknown type.
    Ignored,
}

/// A stream of which a client has one, which never ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Critical {
    Control,
    QpackEncoder,
    QpackDecoder,
}

/// What a client's unidirectional stream turns out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum UniEvent {
    Critical(Critical),
    /// A stream of a type that the server does not use; it may be stopped.
    Unwanted,
}

/// Reads a client's unidirectional stream.
#[derive(Debug, Default)]
pub struct UniReader {
    state: UniState,
    buffer: Vec<u8>,
}

impl UniReader {
    /// Reads the next bytes of the stream; `fin`: whether they are the last.
    pub fn feed(&mut self, data: &[u8], fin: bool) -> Result<Option<UniEvent>, ConnectionError> {
        let mut event = None;
        if !matches!(self.state, UniState::QpackDecoder | UniState::Ignored) {
            self.buffer.extend_from_slice(data);
        }
        if matches!(self.state, UniState::Unknown) {
            event = self.recognize()?;
        }
        if let UniState::Control { .. } = self.state {
            while self.control_step()? {}
        }
        if matches!(self.state, UniState::QpackEncoder) {
            // The table may be set to no bytes (RFC 9204 section 4.3.1).
            if self.buffer.drain(..).any(|byte| byte != TABLE_OF_NO_BYTES) {
                return Err(ConnectionError::QpackEncoderStream);
            }
        }
        match self.state {
            UniState::Unknown | UniState::Ignored => Ok(event),
            _ if fin => Err(ConnectionError::ClosedCriticalStream),
            _ => Ok(event),
        }
    }

    fn recognize(&mut self) -> Result<Option<UniEvent>, ConnectionError> {
        let Some((kind, length)) = varint::decode(&self.buffer) else { return Ok(None) };
        self.buffer.drain(..length);
        let (state, critical) = match kind {
            0x00 => (UniState::Control { settings_seen: false, left: 0, max_push_id: 0 }, Some(Critical::Control)),
            0x01 => return Err(ConnectionError::StreamCreation), // Only servers push.
            0x02 => (UniState::QpackEncoder, Some(Critical::QpackEncoder)),
            0x03 => (UniState::QpackDecoder, Some(Critical::QpackDecoder)),
            _ => (UniState::Ignored, None),
        };
        self.state = state;
        if matches!(self.state, UniState::QpackDecoder | UniState::Ignored) {
            self.buffer = Vec::new();
        }
        Ok(Some(critical.map_or(UniEvent::Unwanted, UniEvent::Critical)))
    }

    /// Reads one frame, or a part of a skipped one; returns false when it needs more bytes.
    fn control_step(&mut self) -> Result<bool, ConnectionError> {
        let UniState::Control { settings_seen, left, max_push_id } = &mut self.state else { return Ok(false) };
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
        if kind == FRAME_CANCEL_PUSH {
            return Err(ConnectionError::Id); // Nothing is pushed (RFC 9114 section 7.2.3).
        }
        if kind == FRAME_MAX_PUSH_ID {
            if length > MAX_VARINT_BYTES {
                return Err(ConnectionError::Frame);
            }
            let end = head + length as usize;
            let Some(payload) = self.buffer.get(head..end) else { return Ok(false) };
            let id = varint::decode(payload).filter(|(_, used)| *used == payload.len());
            let (id, _) = id.ok_or(ConnectionError::Frame)?;
            if id < *max_push_id {
                return Err(ConnectionError::Id);
            }
            *max_push_id = id;
            self.buffer.drain(..end);
            return Ok(true);
        }
        self.buffer.drain(..head);
        *left = length;
        Ok(true)
    }
}

/// Pairs of a name and a value, each name once (RFC 9114 section 7.2.4).
fn check_settings(mut payload: &[u8]) -> Result<(), ConnectionError> {
    let mut names = Vec::new();
    while !payload.is_empty() {
        let (name, value, length) = two_varints(payload).ok_or(ConnectionError::Frame)?;
        if names.contains(&name) || OF_HTTP2.contains(&name) || (BOOLEAN.contains(&name) && value > 1) {
            return Err(ConnectionError::Settings);
        }
        names.push(name);
        payload = &payload[length..];
    }
    Ok(())
}
