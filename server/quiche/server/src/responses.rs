//! The responses in flight of one connection: bytes that were read for each stream and that QUIC has not accepted yet.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};

use crate::body::Body;
use crate::follow::Follow;
use crate::growing::Growing;
use crate::jobs::Waker;

/// Bytes per response that are read and not yet sent: two reads, so that one is ready while the other is under way.
const MOST_AHEAD_BYTES: usize = 2 * crate::jobs::CHUNK_BYTES;

/// The same of all responses of a connection together: a client may ask for many and read none.
const CONNECTION_AHEAD_BYTES: usize = 256 * 1024;

/// Bytes that a stream may send before it is the next stream's turn.
const TURN_BYTES: usize = 16 * 1024;

/// How the bytes of a response travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// On the stream, without framing.
    Stream,
    /// On the stream in DATA frames.
    Http3,
    /// As datagrams of the flow.
    Datagrams { flow: u64 },
    /// Of a growing file: on the stream, and as datagrams of the flow, if there is one.
    Follow { flow: Option<u64> },
    /// The response to CONNECT: the stream stays open without data until the session ends.
    Session,
}

/// Where the rest of a response comes from.
#[derive(Debug)]
pub enum Source {
    /// A job on another thread, whose outcome will arrive.
    Job,
    Body(Body),
    /// Everything has been read.
    None,
}

/// One response.
#[derive(Debug)]
pub struct Response {
    pub delivery: Delivery,
    pub source: Source,
    /// The flow of a request whose file is being opened.
    pub announced: Option<u64>,
    /// The stream of the response whose flow goes before this body.
    pub waits_for: Option<u64>,
    /// Of [`Delivery::Follow`].
    pub follow: Option<Box<Follow>>,
    /// The file that an HTTP response follows, and since when.
    pub growing: Option<(Growing, Instant)>,
    /// While the response follows a file.
    pub waker: Option<Waker>,
    pending: VecDeque<Bytes>,
    pending_bytes: usize,
    /// True: the stream ends after what is pending.
    ends: bool,
    /// Since when QUIC has accepted nothing of what is pending.
    blocked_since: Option<Instant>,
}

impl Response {
    pub fn new(delivery: Delivery, source: Source) -> Self {
        Self {
            delivery,
            source,
            announced: None,
            waits_for: None,
            follow: None,
            growing: None,
            waker: None,
            pending: VecDeque::new(),
            pending_bytes: 0,
            ends: false,
            blocked_since: None,
        }
    }

    pub fn push(&mut self, data: impl Into<Bytes>) {
        let data = data.into();
        self.pending_bytes += data.len();
        self.pending.push_back(data);
    }

    /// Ends the stream after what is pending.
    pub fn end(&mut self) {
        self.ends = true;
    }

    pub fn ends(&self) -> bool {
        self.ends
    }

    /// Bytes that QUIC has not accepted.
    pub fn pending_bytes(&self) -> usize {
        self.pending_bytes
    }

    /// Of what follows a file and has sent what was there: returns whether there is more to be sent now. The response ends
    /// with the file.
    pub fn grow(&mut self) -> bool {
        let Some((growing, _)) = &mut self.growing else { return false };
        if let Some(body) = growing.take() {
            self.source = Source::Body(body);
            return true;
        }
        if growing.finished() {
            self.growing = None;
            self.ends = true;
        }
        false
    }

    fn follows(&self) -> bool {
        self.follow.is_some() || self.growing.is_some()
    }

    /// Whether the encoder of the file that it follows is dead.
    fn is_given_up(&self, now: Instant) -> bool {
        self.follow.as_ref().is_some_and(|follow| follow.watched.is_given_up(follow.arrived, now))
            || self.growing.as_ref().is_some_and(|(growing, since)| growing.watched.is_given_up(*since, now))
    }

    fn has_work(&self) -> bool {
        self.pending_bytes > 0 || self.ends
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
        self.all.values().filter(|response| response.delivery != Delivery::Session).count()
    }

    /// Bytes of one response that may be read and not yet sent.
    pub fn ahead_bytes(&self) -> usize {
        MOST_AHEAD_BYTES.min(CONNECTION_AHEAD_BYTES / self.in_flight().max(1))
    }

    /// Whether a response has bytes that QUIC has not accepted.
    pub fn pending(&self) -> bool {
        self.all.values().any(|response| response.pending_bytes > 0)
    }

    /// The streams of which QUIC has accepted nothing for longer than `limit`: their client does not read.
    pub fn stalled(&self, now: Instant, limit: Duration) -> Vec<u64> {
        let is_stalled = |response: &Response| response.blocked_since.is_some_and(|since| now - since > limit);
        self.all.iter().filter(|(_, response)| is_stalled(response)).map(|(stream, _)| *stream).collect()
    }

    /// Responses that follow a file.
    pub fn following(&self) -> usize {
        self.all.values().filter(|response| response.follows()).count()
    }

    /// The streams whose response follows a file of which nothing comes any more.
    pub fn given_up(&self, now: Instant) -> Vec<u64> {
        self.all.iter().filter(|(_, response)| response.is_given_up(now)).map(|(stream, _)| *stream).collect()
    }

    /// The stream of the response that follows a file with datagrams of this flow.
    pub fn stream_following(&self, flow: u64) -> Option<u64> {
        let of_flow = |response: &Response| response.delivery == Delivery::Follow { flow: Some(flow) };
        self.all.iter().find(|(_, response)| of_flow(response)).map(|(stream, _)| *stream)
    }

    pub fn stream_of_flow(&self, flow: u64) -> Option<u64> {
        let of_flow = |response: &Response| response.delivery == Delivery::Datagrams { flow };
        self.all.iter().find(|(_, response)| of_flow(response)).map(|(stream, _)| *stream)
    }

    /// The stream of the response that sends the datagrams of a flow, or will as soon as its file is open.
    pub fn stream_with_flow(&self, flow: u64) -> Option<u64> {
        let announced = || self.all.iter().find(|(_, response)| response.announced == Some(flow));
        self.stream_of_flow(flow).or_else(|| announced().map(|(stream, _)| *stream))
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
    pub fn hand_over(&mut self, quic: &mut quiche::Connection, now: Instant) -> HandedOver {
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

    fn turn(&mut self, stream: u64, quic: &mut quiche::Connection, now: Instant) -> Turn {
        let Some(response) = self.all.get_mut(&stream).filter(|response| response.has_work()) else {
            return Turn::Blocked;
        };
        let mut progress = Turn::Blocked;
        let mut allowance = TURN_BYTES;
        loop {
            let front: &[u8] = response.pending.front().map_or(&[], |front| front);
            let offered = &front[..front.len().min(allowance)];
            let last = response.ends && offered.len() == response.pending_bytes;
            match quic.stream_send(stream, offered, last) {
                Ok(taken) => {
                    let all_taken = taken == offered.len();
                    if let Some(front) = response.pending.front_mut() {
                        front.advance(taken);
                        if front.is_empty() {
                            response.pending.pop_front();
                        }
                    }
                    response.pending_bytes -= taken;
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
                responses.insert(4 * stream, Response::new(Delivery::Stream, Source::None));
            }
            responses.ahead_bytes()
        };
        assert_eq!([ahead(0), ahead(1), ahead(2)], [MOST_AHEAD_BYTES; 3]);
        assert_eq!(64 * ahead(64), CONNECTION_AHEAD_BYTES);
    }
}
