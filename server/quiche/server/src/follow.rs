//! The state of a response that follows a growing file over VOXEL: a chunk's record, its reliable bytes, then its frames.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use voxel_protocol::flow::{Flow, FlowId};
use voxel_protocol::follow::{Sent, bytes_record, coded, frames_record, sent_record};
use voxel_protocol::request::FollowWish;
use voxel_protocol::scheduler::Scheduler;
use voxel_protocol::site::Piece;
use voxel_protocol::vxl::Chunk;

use crate::body::{Body, Media};
use crate::growing::Watched;

/// Bytes of frames that go to the stream at a time, which neither expire nor are overtaken once they are pending.
const STREAM_PIECE_BYTES: usize = 4 * 1024;

/// A record's content has at most as many.
const MOST_RECORD_BYTES: usize = 64 * 1024;

/// What the link is like now.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    pub smoothed_rtt: Option<Duration>,
    pub window: u64,
    pub datagram_size: usize,
    /// The first bytes of all datagrams of the session.
    pub prefix: &'a [u8],
}

/// What is to be done next.
#[derive(Debug)]
pub enum Step {
    Write(Vec<u8>),
    Read(Body, BytesMut),
    /// The response is complete.
    End,
    /// Nothing, until something happens.
    Wait,
}

/// What a read is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Reliable,
    /// Frames of the chunk of that number.
    Frames(u64),
}

/// A chunk whose frames are not all sent.
#[derive(Debug)]
struct Part {
    number: u64,
    /// What is not read; `None` while a read is under way.
    frames: Option<Body>,
    /// What is left of each frame that is not read completely.
    lengths: VecDeque<u64>,
    /// Offset of the next byte that is read.
    offset: u64,
    due: Option<Instant>,
    /// Bytes sent on the stream.
    sent: u64,
    left: u64,
    length: u64,
}

/// The state of one response.
#[derive(Debug)]
pub struct Follow {
    pub watched: Arc<Watched>,
    media: Arc<dyn Media>,
    /// The number of the flow; `None`: frames come on the stream.
    pub flow: Option<u64>,
    wish: FollowWish,
    pub arrived: Instant,
    records: usize,
    chunks: u64,
    /// Offset of the next chunk's frames.
    offset: u64,
    reliable: Option<Body>,
    parts: VecDeque<Part>,
    reading: Option<Reading>,
    /// No frame is sent any more: a chunk was cut, and all are one group.
    broken: bool,
}

impl Follow {
    pub fn new(
        watched: Arc<Watched>,
        media: Arc<dyn Media>,
        flow: Option<u64>,
        wish: FollowWish,
        arrived: Instant,
    ) -> Self {
        let (reliable, parts, reading) = (None, VecDeque::new(), None);
        let (records, chunks, offset, broken) = (0, 0, 0, false);
        Self { watched, media, flow, wish, arrived, records, chunks, offset, reliable, parts, reading, broken }
    }

    /// What is to be done next. `pending`: bytes that QUIC has not accepted; `ahead`: how many of these may be read.
    /// Flows that have ended are given to `count`.
    pub fn step(
        &mut self,
        scheduler: &mut Scheduler,
        (pending, ahead): (usize, usize),
        link: &Link<'_>,
        now: Instant,
        count: impl Fn(&Flow),
    ) -> Step {
        if self.reading.is_some() {
            return Step::Wait;
        }
        if let Some(sent) = self.sent_part(scheduler, link, now, count) {
            return Step::Write(coded(&sent_record(&sent)));
        }
        let held = self.reliable.is_some() || self.watched.record(self.records).is_some();
        if let Some(flow) = self.flow {
            scheduler.hold(flow, held);
        }
        if pending >= ahead {
            return Step::Wait;
        }
        if let Some(body) = self.reliable.take() {
            return self.read(Reading::Reliable, body, ahead / 2);
        }
        if held {
            return self.announce(scheduler, link, now);
        }
        if let Some(step) = self.read_frames(scheduler, pending, ahead) {
            return step;
        }
        if self.watched.ends_within(self.records) && self.parts.is_empty() { Step::End } else { Step::Wait }
    }

    /// A read is done; what is to be written on the stream.
    pub fn read_done(&mut self, body: Body, data: &Bytes, scheduler: &mut Scheduler) -> Option<Vec<u8>> {
        match self.reading.take()? {
            Reading::Reliable => {
                self.reliable = Some(body).filter(|body| body.left() > 0);
                Some(coded(&bytes_record(data)))
            }
            Reading::Frames(number) => {
                // Its deadline may have passed.
                let part = self.parts.iter_mut().find(|part| part.number == number)?;
                part.frames = Some(body);
                part.left -= data.len() as u64;
                if let Some(flow) = self.flow {
                    scheduler.get_mut(id(flow, number))?.push(data);
                    return None;
                }
                let record = frames_record(part.offset, data);
                part.offset += data.len() as u64;
                part.sent += data.len() as u64;
                if let Some(length) = part.lengths.front_mut() {
                    *length -= data.len() as u64;
                    if *length == 0 {
                        part.lengths.pop_front();
                    }
                }
                Some(coded(&record))
            }
        }
    }

    /// A chunk whose frames are sent or too late.
    fn sent_part(
        &mut self,
        scheduler: &mut Scheduler,
        link: &Link<'_>,
        now: Instant,
        count: impl Fn(&Flow),
    ) -> Option<Sent> {
        let is_done = |part: &Part| match self.flow {
            Some(flow) => scheduler.get(id(flow, part.number)).is_none_or(Flow::finished),
            None => self.broken || part.left == 0 || part.due.is_some_and(|due| due <= now),
        };
        let place = self.parts.iter().position(is_done)?;
        let part = self.parts.remove(place)?;
        let (mut bytes, mut datagrams) = (part.sent, 0);
        if let Some(flow) = self.flow.and_then(|flow| scheduler.remove(id(flow, part.number))) {
            (bytes, datagrams) = (flow.sent_bytes(), flow.sent_datagrams());
            count(&flow);
        }
        if self.wish.group && bytes < part.length {
            self.end_group(scheduler);
        }
        let Link { smoothed_rtt, window, .. } = *link;
        Some(Sent { chunk: part.number, bytes, datagrams, smoothed_rtt, window })
    }

    fn end_group(&mut self, scheduler: &mut Scheduler) {
        self.broken = true;
        for part in &self.parts {
            if let Some(flow) = self.flow.and_then(|flow| scheduler.get_mut(id(flow, part.number))) {
                flow.stop();
            }
        }
    }

    /// The next record of the file. Its chunk, if it has one, is under way from here on.
    fn announce(&mut self, scheduler: &mut Scheduler, link: &Link<'_>, now: Instant) -> Step {
        let Some(known) = self.watched.record(self.records) else { return Step::Wait };
        let head = if self.records == 0 { self.watched.head() } else { Bytes::new() };
        self.records += 1;
        if let Some(chunk) = &known.record.chunk {
            self.begin(chunk, known.since, scheduler, link, now);
        }
        Step::Write(coded(&[head, known.record.raw.clone()].concat()))
    }

    fn begin(&mut self, chunk: &Chunk, since: Instant, scheduler: &mut Scheduler, link: &Link<'_>, now: Instant) {
        let ranges = chunk.reliable.iter().copied().map(Piece::Range);
        self.reliable = Some(Body::new(ranges, Arc::clone(&self.media).content()));
        let frames = chunk.frames.iter().flatten().copied().map(Piece::Range);
        let frames = Body::new(frames, Arc::clone(&self.media).content());
        let (number, offset, left, lengths) = (self.chunks, self.offset, frames.left(), chunk.frame_lengths());
        let due = self.wish.deadline.and_then(|deadline| since.max(self.arrived).checked_add(deadline));
        if let Some(flow) = self.flow {
            let mut flow = Flow::of_frames(id(flow, number), offset, &lengths, link.datagram_size, link.prefix);
            if self.broken || due.is_some_and(|due| due <= now) {
                flow.stop();
            }
            flow.hold(true);
            scheduler.add(flow, due);
        }
        let lengths = lengths.into();
        self.parts.push_back(Part { number, frames: Some(frames), lengths, offset, due, sent: 0, left, length: left });
        self.chunks += 1;
        self.offset += left;
    }

    /// A read of the first chunk whose frames are not all read, if there is room.
    fn read_frames(&mut self, scheduler: &Scheduler, pending: usize, ahead: usize) -> Option<Step> {
        let part = self.parts.iter_mut().find(|part| part.left > 0)?;
        let size = match self.flow {
            Some(flow) if scheduler.unsent_bytes(flow) < ahead => ahead / 2,
            None if pending < STREAM_PIECE_BYTES => {
                let frame = part.lengths.front().copied().unwrap_or(0);
                STREAM_PIECE_BYTES.min(usize::try_from(frame).unwrap_or(usize::MAX))
            }
            _ => return Some(Step::Wait),
        };
        let (number, body) = (part.number, part.frames.take()?);
        Some(self.read(Reading::Frames(number), body, size))
    }

    fn read(&mut self, reading: Reading, body: Body, size: usize) -> Step {
        self.reading = Some(reading);
        let room = body.room(size.min(MOST_RECORD_BYTES));
        Step::Read(body, room)
    }
}

fn id(number: u64, chunk: u64) -> FlowId {
    FlowId { number, part: chunk + 1 }
}
