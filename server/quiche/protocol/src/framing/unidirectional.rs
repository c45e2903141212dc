//! A client's unidirectional streams: control, QPACK and those of unknown types.

use super::{ConnectionError, FRAME_SETTINGS, two_varints};
use crate::varint;

const NOT_ON_CONTROL_STREAMS: [u64; 7] = [0x00, 0x01, 0x02, 0x05, 0x06, 0x08, 0x09];

/// Far more than the few pairs of numbers that settings are.
const MAX_SETTINGS_BYTES: u64 = 4096;

/// The type of a client's unidirectional stream.
#[derive(Debug)]
enum UniState {
    Unknown,
    Control {
        settings_seen: bool,
        left: u64,
    },
    /// QPACK streams, which do not matter without a dynamic table, and streams of unknown types.
    Ignored {
        critical: bool,
    },
}

/// What a client's unidirectional stream turns out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum UniEvent {
    /// The control stream; a client has one.
    Control,
    /// A stream of a type that the server does not use; it may be stopped.
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
    /// Reads the next bytes of the stream; `fin`: whether they are the last.
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

    /// Reads one frame, or a part of a skipped one; returns false when it needs more bytes.
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

/// Pairs of a name and a value, each name once (RFC 9114 section 7.2.4).
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
