//! The responses in flight of one connection: bytes that were read for each stream and that QUIC has not accepted yet.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};

use crate::body::Body;
use crate::follow::Follow;
use crate::growing::Growing;
use crate::jobs::Waker;
use crate::quic::QuicConnection;

/// Bytes per response that are read and not yet sent: two reads, so that one is ready while the other is under way.
const MOST_AHEAD_BYTES: usize = 2 * crate::jobs::CHUNK_BYTES;

/// The same of all responses of a connection together: a client may ask for many and read none.
const CONNECTION_AHEAD_BYTES: usize = 256 * 1024;

/// Bytes that a stream may send before it is the next stream's turn.
const TURN_BYTES: usize = 16 * 1024;

/// What the bytes of a response's stream are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// The response to a VOXEL request, without framing.
    WebTransport,
    /// Frames, of which DATA frames have the body.
    Http3,
}

/// What a response is at present, with what the rest of it comes from. A body is `None` while it is being read.
#[derive(Debug)]
pub enum Stage {
    /// A job finds out what there is. `flow`: that of a VOXEL request for datagrams.
    Opening { flow: Option<u64> },
    /// Bytes on the stream.
    Stream(Option<Body>),
    /// Bytes as datagrams of the flow.
    Datagrams { flow: u64, body: Option<Body> },
    /// A growing file over HTTP, followed since then: what has come of it.
    Growing { growing: Growing, since: Instant, body: Option<Body>, _waker: Waker },
    /// A growing file over VOXEL: on the stream, and as datagrams of its flow, if it has one.
    Follow { follow: Box<Follow>, _waker: Waker },
    /// The response to CONNECT: the stream stays open without data until the session ends.
    Session,
    /// Nothing but what is pending: the stream ends after that.
    Ended,
}

/// Bytes that QUIC has not accepted.
#[derive(Debug, Default)]
pub struct Pending {
    chunks: VecDeque<Bytes>,
    length: usize,
}

impl Pending {
    pub fn push(&mut self, data: impl Into<Bytes>) {
        let data = data.into();
        self.length += data.len();
        self.chunks.push_back(data);
    }

    pub fn length(&self) -> usize {
        self.length
    }

    fn advance(&mut self, count: usize) {
        self.length -= count;
        if let Some(front) = self.chunks.front_mut() {
            front.advance(count);
            if front.is_empty() {
                self.chunks.pop_front();
            }
        }
    }
}

/// One response.
#[derive(Debug)]
pub struct Response {
    pub transport: Transport,
    pub stage: Stage,
    pub pending: Pending,
    /// The stream of the response whose flow goes before this body.
    pub waits_for: Option<u64>,
    /// The time since which QUIC has accepted nothing of what is pending.
    blocked_since: Option<Instant>,
}

impl Response {
    pub fn new(transport: Transport, stage: Stage) -> Self {
        Self { transport, stage, pending: Pending::default(), waits_for: None, blocked_since: None }
    }

    /// The body, if there is something to be read of it now and `has_room`. A response of which nothing is left ends.
    pub fn next_read(&mut self, has_room: bool) -> Option<Body> {
        match &mut self.stage {
            Stage::Stream(Some(body)) if body.left() == 0 => self.stage = Stage::Ended,
            Stage::Growing { growing, body: Some(body), .. } if body.left() == 0 => match growing.take() {
                Some(more) => *body = more,
                None if growing.finished() => self.stage = Stage::Ended,
                None => {}
            },
            _ => {}
        }
        match &mut self.stage {
            Stage::Stream(body) | Stage::Growing { body, .. } | Stage::Datagrams { body, .. } if has_room => {
                body.take_if(|body| body.left() > 0)
            }
            _ => None,
        }
    }

    fn follows(&self) -> bool {
        matches!(self.stage, Stage::Follow { .. } | Stage::Growing { .. })
    }

    /// Whether the encoder of the file that it follows is dead.
    fn is_given_up(&self, now: Instant) -> bool {
        match &self.stage {
            Stage::Follow { follow, .. } => follow.watched.is_given_up(follow.arrived, now),
            Stage::Growing { growing, since, .. } => growing.watched.is_given_up(*since, now),
            _ => false,
        }
    }

    fn ends(&self) -> bool {
        matches!(self.stage, Stage::Ended)
    }

    fn has_work(&self) -> bool {
        self.pending.length > 0 || self.ends()
    }
}

/// The result of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// QUIC has accepted bytes and may accept more.
    Progress,
    /// QUIC accepts nothing now.
    Blocked,
    /// QUIC has everything.
    Sent,
    /// The client has stopped reading, or the stream is closed.
    Refused,
}

/// The responses of one connection, by stream.
#[derive(Debug, Default)]
pub struct Responses {
    all: BTreeMap<u64, Response>,
    /// The stream whose turn it was last: the others come first.
    last_turn: u64,
}

impl Responses {
    pub fn insert(&mut self, stream: u64, response: Response) {
        self.all.insert(stream, response);
    }

    pub fn get_mut(&mut self, stream: u64) -> Option<&mut Response> {
        self.all.get_mut(&stream)
    }

    pub fn remove(&mut self, stream: u64) -> Option<Response> {
        self.all.remove(&stream)
    }

    pub fn streams(&self) -> Vec<u64> {
        self.all.keys().copied().collect()
    }

    /// Requests in flight: those whose response QUIC has not accepted completely.
    pub fn in_flight(&self) -> usize {
        self.all.values().filter(|response| !matches!(response.stage, Stage::Session)).count()
    }

    /// Bytes of one response that may be read and not yet sent.
    pub fn ahead_bytes(&self) -> usize {
        MOST_AHEAD_BYTES.min(CONNECTION_AHEAD_BYTES / self.in_flight().max(1))
    }

    /// Whether a response has bytes that QUIC has not accepted.
    pub fn pending(&self) -> bool {
        self.all.values().any(|response| response.pending.length > 0)
    }

    /// The streams of which QUIC has accepted nothing for longer than `limit`: their client does not read.
    pub fn stalled(&self, now: Instant, limit: Duration) -> Vec<u64> {
        self.streams_where(|response| response.blocked_since.is_some_and(|since| now - since > limit)).collect()
    }

    /// Responses that follow a file.
    pub fn following(&self) -> usize {
        self.streams_where(Response::follows).count()
    }

    /// Whether a response of the session follows a file.
    pub fn session_follows(&self) -> bool {
        self.streams_where(|response| matches!(response.stage, Stage::Follow { .. })).next().is_some()
    }

    /// The streams whose response follows a file of which nothing comes any more.
    pub fn given_up(&self, now: Instant) -> Vec<u64> {
        self.streams_where(|response| response.is_given_up(now)).collect()
    }

    /// The stream of the response that follows a file with datagrams of this flow.
    pub fn stream_following(&self, number: u64) -> Option<u64> {
        self.streams_where(|it| matches!(&it.stage, Stage::Follow { follow, .. } if follow.flow == Some(number))).next()
    }

    pub fn stream_of_flow(&self, number: u64) -> Option<u64> {
        self.streams_where(|it| matches!(it.stage, Stage::Datagrams { flow, .. } if flow == number)).next()
    }

    /// The stream of the response that sends the datagrams of a flow, or will as soon as its file is open.
    pub fn stream_with_flow(&self, number: u64) -> Option<u64> {
        let opening = |it: &Response| matches!(it.stage, Stage::Opening { flow } if flow == Some(number));
        self.stream_of_flow(number).or_else(|| self.streams_where(opening).next())
    }

    fn streams_where(&self, is_wanted: impl Fn(&Response) -> bool) -> impl Iterator<Item = u64> {
        self.all.iter().filter(move |(_, response)| is_wanted(response)).map(|(stream, _)| *stream)
    }

    /// The streams of the responses that have waited for the flow of `stream`; they wait no longer.
    pub fn release(&mut self, stream: u64) -> Vec<u64> {
        let mut released = Vec::new();
        for (waiting, response) in &mut self.all {
            if response.waits_for.take_if(|other| *other == stream).is_some() {
                released.push(*waiting);
            }
        }
        released
    }

    /// Gives QUIC what it accepts now, the streams in turn. Returns the streams whose response it has accepted
    /// completely, which are removed, and the streams that refuse theirs.
    pub fn hand_over(&mut self, quic: &mut QuicConnection, now: Instant) -> HandedOver {
        let mut handed_over = HandedOver::default();
        loop {
            let after = self.all.range(self.last_turn + 1..).map(|(stream, _)| *stream);
            let before = self.all.range(..=self.last_turn).map(|(stream, _)| *stream);
            let mut progress = false;
            for stream in after.chain(before).collect::<Vec<_>>() {
                match self.turn(stream, quic, now) {
                    Turn::Progress => {
                        self.last_turn = stream;
                        progress = true;
                    }
                    Turn::Blocked => {}
                    Turn::Sent => {
                        self.all.remove(&stream);
                        handed_over.sent.push(stream);
                        progress = true;
                    }
                    Turn::Refused => handed_over.refused.push(stream),
                }
            }
            if !progress {
                return handed_over;
            }
        }
    }

    fn turn(&mut self, stream: u64, quic: &mut QuicConnection, now: Instant) -> Turn {
        let Some(response) = self.all.get_mut(&stream).filter(|response| response.has_work()) else {
            return Turn::Blocked;
        };
        let mut progress = Turn::Blocked;
        let mut allowance = TURN_BYTES;
        loop {
            let front = response.pending.chunks.front();
            let offered = front.map_or_else(Bytes::new, |front| front.slice(..front.len().min(allowance)));
            let size = offered.len();
            let last = response.ends() && size == response.pending.length;
            match quic.stream_send_zc(stream, offered, last) {
                Ok((taken, _)) => {
                    let all_taken = taken == size;
                    response.pending.advance(taken);
                    allowance -= taken;
                    if last && all_taken {
                        return Turn::Sent;
                    }
                    if taken > 0 {
                        progress = Turn::Progress;
                        response.blocked_since = None;
                    }
                    if !all_taken {
                        response.blocked_since.get_or_insert(now);
                    }
                    if !all_taken || allowance == 0 || !response.has_work() {
                        return progress;
                    }
                }
                Err(quiche::Error::Done) => {
                    response.blocked_since.get_or_insert(now);
                    return progress;
                }
                Err(_) => return Turn::Refused,
            }
        }
    }
}

/// Streams, by the result of their response.
#[derive(Debug, Default)]
pub struct HandedOver {
    pub sent: Vec<u64>,
    pub refused: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_share_what_is_read_ahead() {
        let mut responses = Responses::default();
        let mut ahead = |count: u64| {
            for stream in 0..count {
                responses.insert(4 * stream, Response::new(Transport::Http3, Stage::Ended));
            }
            responses.ahead_bytes()
        };
        assert_eq!([ahead(0), ahead(1), ahead(2)], [MOST_AHEAD_BYTES; 3]);
        assert_eq!(64 * ahead(64), CONNECTION_AHEAD_BYTES);
    }
}
