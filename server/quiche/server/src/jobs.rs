//! Work that blocks or waits for an origin, on other threads: opening and reading files.

use std::io;
use std::sync::Arc;
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
    /// `arrived`: when the request arrived.
    Open {
        request: VoxelRequest,
        arrived: Instant,
    },
    Read(Body, BytesMut),
}

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
    /// Whether it may have to wait for the origin.
    fn is_remote(&self, site: &Site) -> bool {
        match self {
            Self::Respond(request) => site.origin_of(&request.target).is_some(),
            Self::Open { request, .. } => site.origin_of(&request.target).is_some(),
            Self::Read(body, _) => body.is_remote(),
        }
    }

    /// Blocks.
    fn run(self, site: &Site) -> Outcome {
        match self {
            Self::Respond(request) => {
                let answer = site.respond(&request);
                Outcome::Responded { target: request.target, answer }
            }
            Self::Open { request, arrived } => {
                let result = site.open(&request);
                Outcome::Opened { request, arrived, result }
            }
            Self::Read(mut body, room) => {
                let result = body.read(room);
                Outcome::Read(body, result)
            }
        }
    }

    async fn run_remote(self, site: &Site) -> Outcome {
        match self {
            Self::Respond(request) => {
                let answer = site.respond_fetching(&request).await;
                Outcome::Responded { target: request.target, answer }
            }
            Self::Open { request, arrived } => {
                let result = site.open_fetching(&request).await;
                Outcome::Opened { request, arrived, result }
            }
            Self::Read(body, room) => {
                let (body, result) = body.read_fetching(room).await;
                Outcome::Read(body, result)
            }
        }
    }
}

/// The response to a request, found on another thread.
pub async fn respond(site: &Arc<Site>, request: HttpRequest) -> io::Result<HttpAnswer> {
    if site.origin_of(&request.target).is_some() {
        return Ok(site.respond_fetching(&request).await);
    }
    let site = Arc::clone(site);
    task::spawn_blocking(move || site.respond(&request)).await.map_err(io::Error::other)
}

/// Starts jobs: at most one at a time for each request in flight.
#[derive(Clone, Debug)]
pub struct Jobs {
    site: Arc<Site>,
    completions: UnboundedSender<Completion>,
    /// Runs what waits for the origin, so that the thread of all QUIC connections has nothing to do with it.
    fetching: Handle,
}

impl Jobs {
    /// `fetching`: another runtime than that in which jobs are started.
    pub fn new(site: Arc<Site>, completions: UnboundedSender<Completion>, fetching: Handle) -> Self {
        Self { site, completions, fetching }
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
        let Self { site, completions, fetching } = self.clone();
        // Fails when the server has stopped.
        let complete = move |outcome| drop(completions.send(Completion { connection, stream, outcome }));
        if job.is_remote(&site) {
            fetching.spawn(async move { complete(job.run_remote(&site).await) });
        } else {
            task::spawn_blocking(move || complete(job.run(&site)));
        }
    }
}
