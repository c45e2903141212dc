//! Work that blocks, on other threads: opening and reading files.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::task::AbortHandle;
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

/// Starts jobs: at most one at a time for each request in flight.
#[derive(Clone, Debug)]
pub struct Jobs {
    site: Arc<Site>,
    completions: UnboundedSender<Completion>,
}

impl Jobs {
    pub fn new(site: Arc<Site>, completions: UnboundedSender<Completion>) -> Self {
        Self { site, completions }
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
        let Self { site, completions } = self.clone();
        tokio::task::spawn_blocking(move || {
            let outcome = match job {
                Job::Respond(request) => {
                    let answer = site.respond(&request);
                    Outcome::Responded { target: request.target, answer }
                }
                Job::Open { request, arrived } => {
                    let result = site.open(&request);
                    Outcome::Opened { request, arrived, result }
                }
                Job::Read(mut body, room) => {
                    let result = body.read(room);
                    Outcome::Read(body, result)
                }
            };
            // Fails when the server has stopped.
            let _ = completions.send(Completion { connection, stream, outcome });
        });
    }
}
