//! Work that blocks or waits for an origin, on other threads: opening and reading files.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::task::{self, AbortHandle};
use voxel_protocol::error::HttpError;
use voxel_protocol::request::VoxelRequest;
use voxel_protocol::site::HttpRequest;

use crate::body::Body;
use crate::site::{HttpAnswer, Opened, Site};

/// Work for a stream of a QUIC connection.
#[derive(Debug)]
pub enum Job {
    Respond(HttpRequest),
    /// A VOXEL request and the time at which it arrived.
    Open {
        request: VoxelRequest,
        arrived: Instant,
    },
    Read(Body, BytesMut),
}

/// Threads that open and read files, for QUIC and HTTP/1.1 each. More than disks can serve at a time are of no use.
pub const FILE_THREADS: usize = 16;

/// Bytes of one read.
pub const CHUNK_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub enum Outcome {
    Responded {
        target: String,
        answer: HttpAnswer,
    },
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

/// Ends what [`Jobs::watch`] began.
#[derive(Debug)]
pub struct Waker(AbortHandle);

impl Drop for Waker {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Job {
    async fn run(self, site: &Site) -> Outcome {
        match self {
            Self::Respond(request) => {
                let answer = site.respond(&request).await;
                Outcome::Responded { target: request.target, answer }
            }
            Self::Open { request, arrived } => {
                let result = site.open(&request).await;
                Outcome::Opened { request, arrived, result }
            }
            Self::Read(mut body, room) => {
                let result = body.read(room).await;
                Outcome::Read(body, result)
            }
        }
    }
}

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
    site: Arc<Site>,
    completions: UnboundedSender<Completion>,
    /// Runs what waits for an origin, so that the thread of all QUIC connections has nothing to do with it.
    waiting: Handle,
}

impl Jobs {
    /// `waiting`: another runtime than that in which jobs are started.
    pub fn new(site: Arc<Site>, completions: UnboundedSender<Completion>, waiting: Handle) -> Self {
        Self { site, completions, waiting }
    }

    /// Sends `Outcome::Grown` for a stream at each change, until the result is dropped.
    pub fn watch(&self, connection: u64, stream: u64, mut changes: watch::Receiver<()>) -> Waker {
        let completions = self.completions.clone();
        let task = tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                let _ = completions.send(Completion { connection, stream, outcome: Outcome::Grown });
            }
        });
        Waker(task.abort_handle())
    }

    pub fn start(&self, connection: u64, stream: u64, job: Job) {
        let Self { site, completions, waiting } = self.clone();
        // Fails when the server has stopped.
        let complete = move |outcome| drop(completions.send(Completion { connection, stream, outcome }));
        task::spawn_blocking(move || match begin(async move { job.run(&site).await }) {
            Ok(outcome) => complete(outcome),
            Err(rest) => drop(waiting.spawn(async move { complete(rest.await) })),
        });
    }
}
