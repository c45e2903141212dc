//! Requests of a connection, within a session and in ordinary HTTP/3, from their head to their last byte.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use voxel_protocol::cmsd::Figures;
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::flow::Flow;
use voxel_protocol::framing::data_frame_head;
use voxel_protocol::request::VoxelRequest;
use voxel_protocol::response::{error_response, reliable_head, unreliable_end, unreliable_head};
use voxel_protocol::site::HttpRequest;
use voxel_protocol::varint;

use super::Connection;
use crate::body::Body;
use crate::follow::Follow;
use crate::http3::{self, Head};
use crate::jobs::Outcome;
use crate::log;
use crate::metrics::Metrics;
use crate::responses::{Response, Stage, Transport};
use crate::site::{HttpAnswer, Opened, path_of, refusal};

impl Connection {
    pub(super) fn voxel_request(&mut self, stream: u64, request: VoxelRequest, now: Instant) {
        let Some(session) = &mut self.session else { return };
        session.last_request = now;
        let opened_by = Arc::clone(&session.opened);
        let flow = request.flow.filter(|_| request.follow.is_none());
        let mut response = Response::new(Transport::WebTransport, Stage::Opening { flow });
        // Only what was requested earlier can hold a response back, so that no two wait for each other.
        response.waits_for = request.after.and_then(|flow| self.responses.stream_with_flow(flow));
        self.responses.insert(stream, response);
        let (site, address) = (Arc::clone(&self.shared.site), self.address);
        self.shared.jobs.start(self.key, stream, async move {
            let result = site.open(&request, &opened_by, address).await;
            Outcome::Opened { request, arrived: now, result }
        });
    }

    pub(super) fn voxel_opened(
        &mut self,
        stream: u64,
        request: &VoxelRequest,
        arrived: Instant,
        result: Result<Opened, HttpError>,
    ) {
        let datagram_size = self.quic.dgram_max_writable_len().unwrap_or(0);
        let flow = request.flow.filter(|_| datagram_size > 0);
        let limits = &self.shared.site.limits;
        let figures = self.figures();
        let Some(session) = &mut self.session else { return };
        let result = result.and_then(|opened| match flow {
            Some(flow) if session.scheduler.get(flow).is_some() || self.responses.stream_following(flow).is_some() => {
                Err(HttpError::bad_request(format!("flow {flow} is in use")))
            }
            _ if matches!(opened, Opened::Followed(..))
                && self.responses.following() >= limits.follows_per_connection =>
            {
                Err(HttpError::new(Status::TooManyRequests, "too many files followed"))
            }
            _ => Ok(opened),
        });
        let (body, etag) = match result {
            Ok(Opened::Body { body, etag }) => (body, etag),
            Ok(Opened::Followed(watched, file, wish)) => {
                self.count("webtransport", Status::Ok, Value::from(path_of(&request.target)));
                return self.follow(stream, Follow::new(watched, file, flow, wish, arrived));
            }
            Err(error) => return self.refuse_voxel(stream, &error, Value::from(path_of(&request.target))),
        };
        let (length, lengths) = (body.left(), body.lengths());
        let Some(response) = self.responses.get_mut(stream) else { return };
        if let Some(flow) = flow {
            let mut prefix = Vec::new();
            varint::encode(session.id / 4, &mut prefix);
            let deadline = request.deadline.and_then(|deadline| arrived.checked_add(deadline));
            response.stage = Stage::Datagrams { flow, body: Some(body) };
            let mut flow = Flow::new(flow, length, datagram_size, &prefix);
            if let Some(parity) = &request.parity {
                flow = flow.with_parity(parity.clone(), lengths);
            }
            response.pending.push(unreliable_head(request, &flow, &etag, &figures));
            session.scheduler.add(flow, deadline);
        } else {
            response.stage = Stage::Stream(Some(body));
            response.pending.push(reliable_head(request, length, &etag, &figures));
            self.flow_ended(stream);
        }
        self.count("webtransport", request.status(), Value::from(path_of(&request.target)));
    }

    pub(super) fn refuse_voxel(&mut self, stream: u64, error: &HttpError, target: Value) {
        let mut response = Response::new(Transport::WebTransport, Stage::Ended);
        response.pending.push(error_response(error));
        self.responses.insert(stream, response);
        self.flow_ended(stream);
        self.count("webtransport", error.status, target);
    }

    pub(super) fn http_request(&mut self, stream: u64, head: Head) {
        if let Err(error) = self.in_flight.check(stream) {
            return self.respond(stream, refusal(&error), Value::from(path_of(&head.target)));
        }
        let Head { method, target, authority, headers, .. } = head;
        self.responses.insert(stream, Response::new(Transport::Http3, Stage::Opening { flow: None }));
        let request = HttpRequest { method, target, authority, headers };
        let (site, address) = (Arc::clone(&self.shared.site), self.address);
        self.shared.jobs.start(self.key, stream, async move {
            let answer = site.respond(&request, address).await;
            Outcome::Responded { target: request.target, answer }
        });
    }

    pub(super) fn respond(&mut self, stream: u64, answer: HttpAnswer, target: Value) {
        self.count("http3", answer.status, target);
        self.respond_with(stream, answer);
    }

    pub(super) fn respond_with(&mut self, stream: u64, answer: HttpAnswer) {
        let body = Some(answer.body);
        let stage = match answer.growing {
            None => Stage::Stream(body),
            Some(growing) => Stage::Growing {
                _waker: self.shared.jobs.watch(self.key, stream, growing.watched.changes()),
                growing,
                since: Instant::now(),
                body,
            },
        };
        let mut response = Response::new(Transport::Http3, stage);
        let headers = answer.headers.iter().map(|(name, value)| (*name, value.as_str()));
        response.pending.push(http3::encode_response_head(answer.status, headers));
        self.responses.insert(stream, response);
    }

    pub(super) fn count(&self, transport: &str, status: Status, target: Value) {
        self.shared.site.metrics.add_request(transport, status);
        log::info("request", &[("transport", transport.into()), ("status", status.code().into()), ("target", target)]);
    }

    /// A job for a stream is done. Ignored if the request was cancelled in the meantime.
    pub fn completed(&mut self, stream: u64, outcome: Outcome) {
        let follows_too_many = self.responses.following() >= self.shared.site.limits.follows_per_connection;
        let Some(response) = self.responses.get_mut(stream) else { return };
        match outcome {
            Outcome::Responded { target, answer } if answer.growing.is_some() && follows_too_many => {
                let error = HttpError::new(Status::TooManyRequests, "too many files followed");
                self.respond(stream, refusal(&error), path_of(&target).into());
            }
            Outcome::Grown => {} // What it has to send now is looked for in any case.
            Outcome::Responded { target, answer } => self.respond(stream, answer, path_of(&target).into()),
            Outcome::Opened { request, arrived, result } => self.voxel_opened(stream, &request, arrived, result),
            Outcome::Read(body, Ok(chunk)) => self.read(stream, body, chunk),
            Outcome::Read(..) if matches!(response.stage, Stage::Ended) => {}
            Outcome::Read(_, Err(error)) => {
                let error = Value::from(error.to_string());
                log::warning("answer failed", &[("stream", Value::from(stream)), ("error", error)]);
                self.cancelled(stream);
            }
        }
    }

    /// The next bytes of a response are read.
    fn read(&mut self, stream: u64, body: Body, chunk: Bytes) {
        let Some(response) = self.responses.get_mut(stream) else { return };
        match &mut response.stage {
            Stage::Follow { .. } => self.follow_read(stream, body, &chunk),
            Stage::Datagrams { flow, body: rest } => {
                *rest = Some(body);
                if let Some(flow) = self.session.as_mut().and_then(|session| session.scheduler.get_mut(*flow)) {
                    flow.push(&chunk);
                }
            }
            Stage::Stream(rest) | Stage::Growing { body: rest, .. } => {
                *rest = Some(body);
                if response.transport == Transport::Http3 {
                    response.pending.push(data_frame_head(chunk.len()));
                }
                self.shared.site.metrics.add("voxel_stream_bytes_total", chunk.len() as i64);
                response.pending.push(chunk);
            }
            // The flow's deadline has passed.
            Stage::Opening { .. } | Stage::Session | Stage::Ended => {}
        }
    }

    /// Reads what there is room for of a response, and ends it if everything has been read.
    pub(super) fn advance(&mut self, stream: u64) {
        while self.read_next(stream) {}
    }

    /// Reads the next bytes of a response; returns whether that is done already, without a job.
    fn read_next(&mut self, stream: u64) -> bool {
        let ahead = self.responses.ahead_bytes();
        let Some(response) = self.responses.get_mut(stream) else { return false };
        let has_room = match response.stage {
            Stage::Follow { .. } => {
                self.advance_follow(stream);
                return false;
            }
            Stage::Datagrams { flow, .. } => {
                let flow = self.session.as_ref().and_then(|session| session.scheduler.get(flow));
                let Some(flow) = flow.filter(|flow| !flow.finished()) else {
                    self.end_flow(stream);
                    return false;
                };
                flow.unsent_bytes() < ahead
            }
            _ => response.pending.length() < ahead,
        };
        if response.waits_for.is_some() {
            return false;
        }
        let Some(mut body) = response.next_read(has_room) else { return false };
        match body.read_now(body.room(ahead / 2)) {
            Ok(chunk) => {
                self.read(stream, body, chunk);
                true
            }
            Err(room) => {
                self.shared.jobs.read(self.key, stream, body, room);
                false
            }
        }
    }

    /// The flow's last datagram is in a packet, or its deadline has passed.
    pub(super) fn end_flow(&mut self, stream: u64) {
        let figures = self.figures();
        let Some(response) = self.responses.get_mut(stream) else { return };
        let Stage::Datagrams { flow, .. } = response.stage else { return };
        let Some(flow) = self.session.as_mut().and_then(|session| session.scheduler.remove(flow)) else { return };
        response.stage = Stage::Ended;
        let (bytes, datagrams, parity) = (flow.sent_bytes(), flow.sent_datagrams(), flow.sent_parity_bytes());
        response.pending.push(unreliable_end(bytes, datagrams, &figures, parity));
        count_flow(&self.shared.site.metrics, &flow);
        self.flow_ended(stream);
    }

    /// Starts the responses that have waited for the flow of `stream`: it will have no more datagrams.
    pub(super) fn flow_ended(&mut self, stream: u64) {
        for waiting in self.responses.release(stream) {
            self.advance(waiting);
        }
    }

    /// What is known of the path in use.
    fn figures(&self) -> Figures {
        let Some(path) = self.quic.path_stats().find(|path| path.active) else { return Figures::default() };
        let smoothed_rtt = path.min_rtt.map(|_| path.rtt);
        let measured = match self.quic.gcongestion_enabled() {
            // BBRv2 is built on such a rate, from every packet's acknowledgement.
            Some(true) => Some(path.delivery_rate as f64),
            // What a loss has left of the window shows at once.
            _ => self.delivery_rate.get().map(|rate| rate.min(self.pacer.rate())),
        };
        Figures { delivery_rate: measured.filter(|_| smoothed_rtt.is_some()), smoothed_rtt }
    }

    /// Smoothed round trip of the path in use; `None` before the first sample.
    pub(super) fn smoothed_rtt(&self) -> Option<Duration> {
        let path = self.quic.path_stats().find(|path| path.active)?;
        path.min_rtt.map(|_| path.rtt)
    }
}

/// Counts what a flow has sent, which sends nothing more.
pub(super) fn count_flow(metrics: &Metrics, flow: &Flow) {
    metrics.add("voxel_datagram_bytes_total", flow.sent_bytes().cast_signed());
    metrics.add("voxel_parity_bytes_total", flow.sent_parity_bytes().unwrap_or_default().cast_signed());
    metrics.add("voxel_datagrams_total", flow.sent_datagrams().cast_signed());
    if flow.sent_bytes() < flow.length() {
        metrics.add("voxel_flows_cut_total", 1);
    }
}
