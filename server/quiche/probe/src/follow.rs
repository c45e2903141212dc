//! A viewer of a live stream: follows segment after segment (docs/PROTOCOL.md, "Growing files") and says when the chunks were whole.

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;
use voxel_protocol::flow::parse_datagram;
use voxel_protocol::varint;
use wtransport::Connection;

use crate::{AnyError, Options, SETTLE, connect, open, percentile, run_sessions};

/// What the server has for a chunk's frames.
const DEADLINE_MS: u64 = 450;

/// Time from the capture of a chunk until all of it must be here: a player 1 s behind hands it over 80 ms before it is
/// played.
const DUE_MS: f64 = 920.0;

/// Length of a `.vxl` file's head.
const HEAD_BYTES: usize = 16;
/// Types of records that count here.
const CHUNK: u64 = 1;
const RELIABLE: u64 = 16;

/// A chunk of a segment as it arrived.
#[derive(Clone, Debug)]
struct Viewed {
    /// Time of capture of its first picture, in milliseconds since 1970.
    captured: u64,
    reliable_left: u64,
    frames_left: u64,
    /// Offset of its frames in the concatenation of all.
    offset: u64,
    bytes: u64,
    /// Milliseconds from the capture to its last byte; `None`: bytes are missing.
    whole_ms: Option<f64>,
}

impl Viewed {
    /// The chunk that a record's content describes.
    fn of(content: &[u8], offset: u64) -> Option<Self> {
        let mut numbers = Numbers(content);
        let (_start, length) = (numbers.next()?, numbers.next()?);
        let (_decode_time, _duration, captured) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let (_whole_score, _reliable_score) = (numbers.next()?, numbers.next()?);
        let mut reliable = 0;
        for _ in 0..numbers.next()? {
            let (_gap, length) = (numbers.next()?, numbers.next()?);
            reliable += length;
        }
        let (reliable_left, frames_left) = (reliable, length.checked_sub(reliable)?);
        Some(Self { captured, reliable_left, frames_left, offset, bytes: length, whole_ms: None })
    }

    fn take(&mut self, reliable: u64, frames: u64, now_ms: f64) {
        self.reliable_left = self.reliable_left.saturating_sub(reliable);
        self.frames_left = self.frames_left.saturating_sub(frames);
        if self.reliable_left + self.frames_left == 0 {
            self.whole_ms.get_or_insert(now_ms - self.captured as f64);
        }
    }
}

/// Viewers of a live stream.
pub async fn view(options: Arc<Options>, first: u64) -> Result<(), AnyError> {
    let started = Instant::now();
    let run = || view_session(Arc::clone(&options), first);
    let (chunks, failures) = run_sessions(options.sessions, run).await?;
    let seconds = started.elapsed().as_secs_f64();
    let bytes: u64 = chunks.iter().map(|it| it.bytes).sum();
    let mut whole: Vec<_> = chunks.iter().map(|it| it.whole_ms.unwrap_or(f64::INFINITY)).collect();
    let late = whole.iter().filter(|ms| **ms > DUE_MS).count();
    println!(
        "{}",
        json!({
            "chunks": chunks.len(),
            "failedSessions": failures,
            "seconds": seconds,
            "mbps": 8e-6 * bytes as f64 / seconds,
            "lateShare": late as f64 / chunks.len().max(1) as f64,
            "wholeMsP50": percentile(&mut whole, 0.5),
            "wholeMsP95": percentile(&mut whole, 0.95),
        })
    );
    Ok(())
}

async fn view_session(options: Arc<Options>, first: u64) -> Result<Vec<Viewed>, AnyError> {
    let connection = connect(&options).await?;
    let mut chunks = Vec::new();
    for number in first..first + options.requests {
        let target = options.target.replace("$Number$", &number.to_string());
        chunks.extend(follow_segment(&connection, &target, number).await?);
    }
    connection.close(wtransport::VarInt::from_u32(0), b"");
    Ok(chunks)
}

/// Follows one segment to its end. `flow`: of its datagrams; those of others are ignored.
async fn follow_segment(connection: &Connection, target: &str, flow: u64) -> Result<Vec<Viewed>, AnyError> {
    let follow = format!("x-voxel-follow: ?1;deadline={DEADLINE_MS}\r\nx-voxel-unreliable: ?1;flow={flow}");
    let head = format!("GET {target} HTTP/1.1\r\nhost: probe\r\n{follow}\r\n\r\n");
    let (_send, mut stream) = open(connection, &head).await?;
    let mut body = FollowedBody::default();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        tokio::select! {
            biased;
            datagram = connection.receive_datagram() => body.take_datagram(&datagram?.payload(), flow)?,
            read = stream.read(&mut buffer) => match read? {
                None => break,
                Some(count) => body.feed(&buffer[..count])?,
            },
        }
    }
    while body.chunks.iter().any(|chunk| chunk.whole_ms.is_none()) {
        let Ok(datagram) = tokio::time::timeout(SETTLE, connection.receive_datagram()).await else { break };
        body.take_datagram(&datagram?.payload(), flow)?;
    }
    Ok(body.chunks)
}

/// What has come of one response.
#[derive(Debug, Default)]
struct FollowedBody {
    /// Bytes of the stream, with head and chunked coding.
    raw: Vec<u8>,
    has_head: bool,
    /// The body's bytes that are no complete record yet.
    rest: Vec<u8>,
    has_file_head: bool,
    chunks: Vec<Viewed>,
    frames: u64,
    /// Offset and length of datagrams that came before their chunk's record.
    early: Vec<(u64, u64)>,
}

impl FollowedBody {
    fn feed(&mut self, data: &[u8]) -> Result<(), AnyError> {
        self.raw.extend_from_slice(data);
        if !self.has_head {
            let Some(end) = self.raw.windows(4).position(|it| it == b"\r\n\r\n") else { return Ok(()) };
            let head = String::from_utf8_lossy(&self.raw[..end]).into_owned();
            if !head.starts_with("HTTP/1.1 200") || !head.contains("x-voxel-follow: ?1") {
                return Err(format!("the response must be 200 and follow, got {head:?}").into());
            }
            self.raw.drain(..end + 4);
            self.has_head = true;
        }
        self.decode()?;
        if !self.has_file_head && self.rest.len() >= HEAD_BYTES {
            self.rest.drain(..HEAD_BYTES);
            self.has_file_head = true;
        }
        while self.has_file_head && self.take_record()? {}
        Ok(())
    }

    /// Undoes the chunked coding.
    fn decode(&mut self) -> Result<(), AnyError> {
        loop {
            let Some(line) = self.raw.windows(2).position(|it| it == b"\r\n") else { return Ok(()) };
            let length = usize::from_str_radix(std::str::from_utf8(&self.raw[..line])?, 16)?;
            let (start, end) = (line + 2, line + 2 + length);
            if self.raw.len() < end + 2 {
                return Ok(());
            }
            self.rest.extend_from_slice(&self.raw[start..end]);
            self.raw.drain(..end + 2);
        }
    }

    fn take_record(&mut self) -> Result<bool, AnyError> {
        let Some((number, first)) = varint::decode(&self.rest) else { return Ok(false) };
        let Some((length, second)) = varint::decode(&self.rest[first..]) else { return Ok(false) };
        let (start, end) = (first + second, first + second + length as usize);
        let Some(content) = self.rest.get(start..end) else { return Ok(false) };
        match number {
            CHUNK => {
                let chunk = Viewed::of(content, self.frames).ok_or("received a malformed chunk record")?;
                self.frames += chunk.frames_left;
                self.chunks.push(chunk);
                for (offset, length) in std::mem::take(&mut self.early) {
                    self.take_frames(offset, length);
                }
            }
            RELIABLE => {
                let chunk = self.chunks.last_mut().ok_or("received reliable bytes before a chunk record")?;
                chunk.take(length, 0, now_ms());
            }
            // Among them what says how much was sent: what was not shows as missing here.
            _ => {}
        }
        self.rest.drain(..end);
        Ok(true)
    }

    fn take_datagram(&mut self, payload: &[u8], expected: u64) -> Result<(), AnyError> {
        let (flow, offset, data) = parse_datagram(payload).ok_or("received a malformed datagram")?;
        if flow == expected {
            self.take_frames(offset, data.len() as u64);
        }
        Ok(())
    }

    fn take_frames(&mut self, offset: u64, length: u64) {
        if offset >= self.frames {
            self.early.push((offset, length));
            return;
        }
        let place = self.chunks.partition_point(|chunk| chunk.offset <= offset);
        // A chunk without frames begins where the next one does, which is then the later of the two.
        self.chunks[place - 1].take(0, length, now_ms());
    }
}

/// The numbers of a record's content.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn next(&mut self) -> Option<u64> {
        let (number, length) = varint::decode(self.0)?;
        self.0 = &self.0[length..];
        Some(number)
    }
}

/// Milliseconds since 1970.
fn now_ms() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1e3)
}
