//! The steps of the interop matrix, for any library that has a [`Session`]. A program takes ENDPOINT and HASH and prints
//! what became of each step as JSON: an empty string, or why it failed.

use std::error::Error;
use std::time::Duration;

use base64::Engine;
use serde_json::{Map, Value};

const TARGET: &str = "/media.mp4";
const STREAM_BYTES: usize = 1_000_000;
const DATAGRAM_BYTES: usize = 10_000;
const FLOW: u64 = 7;
const SESSIONS: usize = 20;
const PATIENCE: Duration = Duration::from_secs(10);

pub type AnyError = Box<dyn Error + Send + Sync>;

/// A session of one library.
pub trait Session: Sized {
    fn open(endpoint: &str, hash: [u8; 32]) -> impl Future<Output = Result<Self, AnyError>>;
    /// Sends the head and reads the whole answer.
    fn request(&self, head: &str) -> impl Future<Output = Result<Vec<u8>, AnyError>>;
    fn datagram(&self) -> impl Future<Output = Result<Vec<u8>, AnyError>>;
    /// Resets a request that is half written.
    fn reset(&self, half: &str) -> impl Future<Output = Result<(), AnyError>>;
    /// Stops reading an answer after its first bytes.
    fn stop(&self, head: &str) -> impl Future<Output = Result<(), AnyError>>;
    fn close(self, code: u32, reason: &str) -> impl Future<Output = ()>;
}

fn head(fields: &str) -> String {
    format!("GET {TARGET} HTTP/1.1\r\nhost: interop\r\n{fields}\r\n")
}

/// The file's bytes are i % 251.
fn check(data: &[u8], offset: usize) -> Result<(), AnyError> {
    match (offset..).zip(data).find(|(place, byte)| place % 251 != **byte as usize) {
        Some((place, _)) => Err(format!("byte {place} is wrong").into()),
        None => Ok(()),
    }
}

async fn reliable(session: &impl Session, length: usize) -> Result<(), AnyError> {
    let answer = session.request(&head(&format!("range: bytes=0-{}\r\n", length - 1))).await?;
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n").ok_or("no head")? + 4;
    if answer.len() - end != length {
        return Err(format!("{} of {length} bytes", answer.len() - end).into());
    }
    check(&answer[end..], 0)
}

async fn datagrams(session: &impl Session) -> Result<(), AnyError> {
    let fields = format!("range: bytes=0-{}\r\nx-voxel-unreliable: ?1;flow={FLOW}\r\n", DATAGRAM_BYTES - 1);
    session.request(&head(&fields)).await?;
    let mut received = 0;
    while received < DATAGRAM_BYTES {
        let datagram = tokio::time::timeout(PATIENCE, session.datagram()).await;
        let datagram = datagram.map_err(|_| format!("{received} of {DATAGRAM_BYTES} bytes"))??;
        let (flow, rest) = varint(&datagram).ok_or("a malformed datagram")?;
        let (offset, payload) = varint(rest).ok_or("a malformed datagram")?;
        if flow != FLOW {
            return Err(format!("a datagram of flow {flow}").into());
        }
        check(payload, offset as usize)?;
        received += payload.len();
    }
    Ok(())
}

/// RFC 9000 section 16.
fn varint(data: &[u8]) -> Option<(u64, &[u8])> {
    let length = 1 << (data.first()? >> 6);
    let (bytes, rest) = data.split_at_checked(length)?;
    let value = bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
    Some((value & ((1 << (8 * length - 2)) - 1), rest))
}

async fn reset(session: &impl Session) -> Result<(), AnyError> {
    session.reset("GET /med").await?;
    session.stop(&head("")).await?;
    reliable(session, 10).await
}

async fn again<S: Session>(endpoint: &str, hash: [u8; 32]) -> Result<(), AnyError> {
    for number in 1..=SESSIONS {
        let session = S::open(endpoint, hash).await.map_err(|error| format!("session {number}: {error}"))?;
        reliable(&session, 10).await.map_err(|error| format!("session {number}: {error}"))?;
        session.close(0, "").await;
    }
    Ok(())
}

/// All steps.
pub async fn run<S: Session>() -> Result<(), AnyError> {
    let [endpoint, hash] =
        <[String; 2]>::try_from(std::env::args().skip(1).collect::<Vec<_>>()).map_err(|_| "usage: ENDPOINT HASH")?;
    let hash: [u8; 32] =
        base64::engine::general_purpose::STANDARD.decode(hash)?.try_into().map_err(|_| "HASH has 32 bytes")?;
    let mut result = Map::new();
    let mut note = |step: &str, outcome: Result<(), AnyError>| {
        result.insert(step.to_owned(), Value::from(outcome.map_or_else(|error| error.to_string(), |()| String::new())));
    };
    match S::open(&endpoint, hash).await {
        Err(error) => note("session", Err(error)),
        Ok(session) => {
            note("session", Ok(()));
            note("streams", reliable(&session, STREAM_BYTES).await);
            note("datagrams", datagrams(&session).await);
            note("reset", reset(&session).await);
            session.close(4711, "interop").await;
            note("close", Ok(()));
            note("again", again::<S>(&endpoint, hash).await);
        }
    }
    println!("{}", Value::from(result));
    Ok(())
}
