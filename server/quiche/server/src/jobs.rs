//! Work that blocks or waits for an origin, on other threads: opening and reading files.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::task::{self, JoinSet};
use voxel_protocol::error::HttpError;
use voxel_protocol::request::VoxelRequest;

use crate::body::Body;
use crate::site::{HttpAnswer, Opened};

/// Threads that open and read files, for QUIC and HTTP/1.1 each. More than disks can serve at a time are of no use.
pub const FILE_THREADS: usize = 16;

/// Bytes of one read.
pub const CHUNK_BYTES: usize = 64 * 1024;

/// The result of work for a stream of a QUIC connection.
#[derive(Debug)]
pub enum Outcome {
    Responded {
        target: String,
        answer: HttpAnswer,
    },
    /// A VOXEL request, the time at which it arrived, and what it asks for.
    Opened {
        request: VoxelRequest,
        arrived: Instant,
        result: Result<Opened, HttpError>,
    },
    Read(Body, io::Result<Bytes>),
    /// There may be more of the file that the response follows.
    Grown,
}

/// An outcome and the stream that it belongs to. Neither number is ever used again.
#[derive(Debug)]
pub struct Completion {
    pub connection: u64,
    pub stream: u64,
    pub outcome: Outcome,
}

/// What [`Jobs::watch`] began, which ends when this is dropped.
pub type Waker = JoinSet<()>;

/// The result of `work`, which begins on a file thread.
pub async fn run<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> io::Result<T> {
    match task::spawn_blocking(move || begin(work)).await? {
        Ok(result) => Ok(result),
        Err(rest) => Ok(rest.await),
    }
}

/// Does `work` as far as it goes without waiting for an origin. Returns the result, or the rest, which holds no thread while
/// it waits, and blocks for no longer than it takes to read what came. Blocks.
fn begin<F: Future>(work: F) -> Result<F::Output, Pin<Box<F>>> {
    let mut work = Box::pin(work);
    match work.as_mut().poll(&mut Context::from_waker(std::task::Waker::noop())) {
        Poll::Ready(result) => Ok(result),
        Poll::Pending => Err(work),
    }
}

/// Starts jobs: at most one at a time for each request in flight.
#[derive(Clone, Debug)]
pub struct Jobs {
    completions: UnboundedSender<Completion>,
    /// Runs what waits for an origin, so that the thread of all QUIC connections has nothing to do with it.
    waiting: Handle,
}

impl Jobs {
    /// `waiting`: another runtime than that in which jobs are started.
    pub fn new(completions: UnboundedSender<Completion>, waiting: Handle) -> Self {
        Self { completions, waiting }
    }

    /// Sends `Outcome::Grown` for a stream at each change, until the result is dropped.
    pub fn watch(&self, connection: u64, stream: u64, mut changes: watch::Receiver<()>) -> Waker {
        let completions = self.completions.clone();
        let mut waker = JoinSet::new();
        waker.spawn(async move {
            while changes.changed().await.is_ok() {
                let _ = completions.send(Completion { connection, stream, outcome: Outcome::Grown });
            }
        });
        waker
    }

    /// Reads the next bytes of a body.
    pub fn read(&self, connection: u64, stream: u64, mut body: Body, room: BytesMut) {
        self.start(connection, stream, async move {
            let result = body.read(room).await;
            Outcome::Read(body, result)
        });
    }

    pub fn start(&self, connection: u64, stream: u64, work: impl Future<Output = Outcome> + Send + 'static) {
        let Self { completions, waiting } = self.clone();
        // Fails when the server has stopped.
        let complete = move |outcome| drop(completions.send(Completion { connection, stream, outcome }));
        task::spawn_blocking(move || match begin(work) {
            Ok(outcome) => complete(outcome),
            Err(rest) => drop(waiting.spawn(async move { complete(rest.await) })),
        });
    }
}
