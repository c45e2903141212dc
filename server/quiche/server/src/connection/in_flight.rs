//! The requests in flight of a connection, from the first byte of their head until QUIC has all of their response.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use voxel_protocol::error::HttpError;

use crate::places::{Kind, Place};

#[derive(Debug)]
struct Request {
    begun: Instant,
    /// A request that is one too many has none, and waits for its refusal.
    place: Option<Place>,
}

/// Requests by stream.
#[derive(Debug, Default)]
pub struct InFlight(HashMap<u64, Request>);

impl InFlight {
    /// Requests that have a place.
    pub fn len(&self) -> usize {
        self.0.values().filter(|request| request.place.is_some()).count()
    }

    /// The first byte of a request has arrived. `place`: `None` if it is one too many.
    pub fn begin(&mut self, stream: u64, place: Option<Place>, now: Instant) {
        self.0.insert(stream, Request { begun: now, place });
    }

    /// Refuses a request without a place.
    pub fn check(&self, stream: u64) -> Result<(), HttpError> {
        match self.0.get(&stream) {
            Some(Request { place: None, .. }) => Err(Kind::Request.refusal()),
            _ => Ok(()),
        }
    }

    pub fn end(&mut self, stream: u64) {
        self.0.remove(&stream);
    }

    /// The streams of requests that began longer ago than `limit`.
    pub fn older(&self, now: Instant, limit: Duration) -> Vec<u64> {
        let requests = self.0.iter().filter(|(_, request)| now.duration_since(request.begun) > limit);
        requests.map(|(stream, _)| *stream).collect()
    }
}
