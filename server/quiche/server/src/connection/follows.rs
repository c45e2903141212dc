//! Responses that follow a growing file.

use std::time::Instant;

use bytes::Bytes;
use voxel_protocol::follow::{LAST_CHUNK, follow_head};
use voxel_protocol::varint;

use super::Connection;
use super::requests::count_flow;
use crate::body::Body;
use crate::follow::{Follow, Link, Step};
use crate::jobs::Job;
use crate::responses::{Delivery, Response, Source};
use crate::session::Session;

impl Connection {
    /// Begins a response that follows a file.
    pub(super) fn follow(&mut self, stream: u64, follow: Follow) {
        let mut response = Response::new(Delivery::Follow { flow: follow.flow }, Source::None);
        response.push(follow_head(follow.flow));
        response.waker = Some(self.shared.jobs.watch(self.key, stream, follow.watched.changes()));
        response.follow = Some(Box::new(follow));
        self.responses.insert(stream, response);
    }

    pub(super) fn advance_follow(&mut self, stream: u64) {
        let (now, ahead) = (Instant::now(), self.responses.ahead_bytes());
        let datagram_size = self.quic.dgram_max_writable_len().unwrap_or(0);
        let window = self.quic.path_stats().find(|path| path.active).map_or(0, |path| path.cwnd as u64);
        let smoothed_rtt = self.smoothed_rtt();
        let Some(Session { id, scheduler, .. }) = &mut self.session else { return };
        let Some(response) = self.responses.get_mut(stream) else { return };
        let Some(mut follow) = response.follow.take() else { return };
        let mut prefix = Vec::new();
        varint::encode(*id / 4, &mut prefix);
        let link = Link { smoothed_rtt, window, datagram_size, prefix: &prefix };
        let metrics = &self.shared.site.metrics;
        loop {
            let room = (response.pending_bytes(), ahead);
            match follow.step(scheduler, room, &link, now, |flow| count_flow(metrics, flow)) {
                Step::Write(data) => {
                    metrics.add("voxel_stream_bytes_total", data.len() as i64);
                    response.push(data);
                }
                Step::Read(body, room) => self.shared.jobs.start(self.key, stream, Job::Read(body, room)),
                Step::End => {
                    response.push(LAST_CHUNK);
                    response.end();
                    return;
                }
                Step::Wait => break,
            }
        }
        response.follow = Some(follow);
    }

    /// A read for such a response is done.
    pub(super) fn follow_read(&mut self, stream: u64, body: Body, data: &Bytes) {
        let Some(session) = &mut self.session else { return };
        let Some(response) = self.responses.get_mut(stream) else { return };
        let read = response.follow.as_mut().and_then(|follow| follow.read_done(body, data, &mut session.scheduler));
        if let Some(read) = read {
            self.shared.site.metrics.add("voxel_stream_bytes_total", read.len() as i64);
            response.push(read);
        }
    }
}
