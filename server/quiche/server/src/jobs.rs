//! What blocks, done on other threads: opening files and reading them.

use std::io;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::sync::mpsc::UnboundedSender;
use voxel_protocol::error::HttpError;
use voxel_protocol::request::VoxelRequest;
use voxel_protocol::site::HttpRequest;

use crate::files::Body;
use crate::site::{HttpAnswer, Site};

/// Work for a stream of a QUIC connection.
#[derive(Debug)]
pub enum Job {
    Respond(HttpRequest),
    Open(VoxelRequest),
    Read(Body, BytesMut),
}

/// One read.
pub const CHUNK_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub enum Outcome {
    Responded { target: String, answer: HttpAnswer },
    Opened(Result<Body, HttpError>),
    Read(Body, io::Result<Bytes>),
}

/// Says to whom an outcome belongs; neither number is ever used again.
#[derive(Debug)]
pub struct Completion {
    pub connection: u64,
    pub stream: u64,
    pub outcome: Outcome,
}

/// Starts jobs. Their number is bounded by the requests in flight, each of which has one at a time.
#[derive(Clone, Debug)]
pub struct Jobs {
    site: Arc<Site>,
    completions: UnboundedSender<Completion>,
}

impl Jobs {
    pub fn new(site: Arc<Site>, completions: UnboundedSender<Completion>) -> Self {
        Self { site, completions }
    }

    pub fn start(&self, connection: u64, stream: u64, job: Job) {
        let Self { site, completions } = self.clone();
        tokio::task::spawn_blocking(move || {
            let outcome = match job {
                Job::Respond(request) => {
                    let answer = site.respond(&request);
                    Outcome::Responded { target: request.target, answer }
                }
                Job::Open(request) => Outcome::Opened(site.open(&request)),
                Job::Read(mut body, room) => {
                    let result = body.read(room);
                    Outcome::Read(body, result)
                }
            };
            // Nobody waits for it any more when the server has stopped.
            let _ = completions.send(Completion { connection, stream, outcome });
        });
    }
}
