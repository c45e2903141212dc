//! Responses that follow a growing file.

use std::time::Instant;

use bytes::Bytes;
use voxel_protocol::follow::{LAST_CHUNK, follow_head};
use voxel_protocol::varint;

use super::Connection;
use super::requests::count_flow;
use crate::body::Body;
use crate::follow::{Follow, Link, Step};
use crate::responses::{Response, Stage, Transport};
use crate::session::Session;

impl Connection {
    /// Begins a response that follows a file.
    pub(super) fn follow(&mut self, stream: u64, follow: Follow) {
        let head = follow_head(follow.flow);
        let stage = Stage::Follow {
            _waker: self.shared.jobs.watch(self.key, stream, follow.watched.changes()),
            follow: Box::new(follow),
        };
        let mut response = Response::new(Transport::WebTransport, stage);
        response.pending.push(head);
        self.responses.insert(stream, response);
    }

    pub(super) fn advance_follow(&mut self, stream: u64) {
        let (now, ahead) = (Instant::now(), self.responses.ahead_bytes());
        let datagram_size = self.quic.dgram_max_writable_len().unwrap_or(0);
        let window = self.quic.path_stats().find(|path| path.active).map_or(0, |path| path.cwnd as u64);
        let smoothed_rtt = self.smoothed_rtt();
        let Some(Session { id, scheduler, .. }) = &mut self.session else { return };
        let Some(Response { stage, pending, .. }) = self.responses.get_mut(stream) else { return };
        let Stage::Follow { follow, .. } = stage else { return };
        let mut prefix = Vec::new();
        varint::encode(*id / 4, &mut prefix);
        let link = Link { smoothed_rtt, window, datagram_size, prefix: &prefix };
        let metrics = &self.shared.site.metrics;
        loop {
            let room = (pending.length(), ahead);
            match follow.step(scheduler, room, &link, now, |flow| count_flow(metrics, flow)) {
                Step::Write(data) => {
                    metrics.add("voxel_stream_bytes_total", data.len() as i64);
                    pending.push(data);
                }
                Step::Read(mut body, room) => match body.read_now(room) {
                    Ok(data) => {
                        if let Some(record) = follow.read_done(body, &data, scheduler) {
                            metrics.add("voxel_stream_bytes_total", record.len() as i64);
                            pending.push(record);
                        }
                    }
                    Err(room) => self.shared.jobs.read(self.key, stream, body, room),
                },
                Step::End => {
                    pending.push(LAST_CHUNK);
                    *stage = Stage::Ended;
                    return;
                }
                Step::Wait => return,
            }
        }
    }

    /// A read for such a response is done.
    pub(super) fn follow_read(&mut self, stream: u64, body: Body, data: &Bytes) {
        let (Some(session), Some(response)) = (&mut self.session, self.responses.get_mut(stream)) else { return };
        let Stage::Follow { follow, .. } = &mut response.stage else { return };
        if let Some(read) = follow.read_done(body, data, &mut session.scheduler) {
            self.shared.site.metrics.add("voxel_stream_bytes_total", read.len() as i64);
            response.pending.push(read);
        }
    }
}
