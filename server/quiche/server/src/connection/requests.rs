//! Requests of a connection, within a session and in ordinary HTTP/3, from their head to their last byte.

use std::time::{Duration, Instant};

use serde_json::Value;
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::flow::Flow;
use voxel_protocol::request::VoxelRequest;
use voxel_protocol::response::{error_response, reliable_head, unreliable_end, unreliable_head};
use voxel_protocol::site::HttpRequest;
use voxel_protocol::varint;

use super::Connection;
use crate::follow::Follow;
use crate::http3::{self, Head};
use crate::jobs::{Job, Outcome};
use crate::log;
use crate::metrics::Metrics;
use crate::responses::{Delivery, Response, Source};
use crate::site::{HttpAnswer, Opened, path_of, refusal};

impl Connection {
    pub(super) fn voxel_request(&mut self, stream: u64, request: VoxelRequest, now: Instant) {
        if let Some(session) = &mut self.session {
            session.last_request = now;
        }
        let mut response = Response::new(Delivery::Stream, Source::Job);
        response.announced = request.flow.filter(|_| request.follow.is_none());
        // Only what was requested earlier can hold a response back, so that no two wait for each other.
        response.waits_for = request.after.and_then(|flow| self.responses.stream_with_flow(flow));
        self.responses.insert(stream, response);
        self.shared.jobs.start(self.key, stream, Job::Open { request, arrived: now });
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
        let Some(session) = &mut self.session else { return };
        let result = result.and_then(|opened| match flow {
            Some(flow) if session.scheduler.get(flow).is_some() || self.responses.stream_following(flow).is_some() => {
                Err(HttpError::bad_request(format!("flow {flow} is in use")))
            }
            _ if opened.followed.is_some() && self.responses.following() >= limits.follows_per_connection => {
                Err(HttpError::new(Status::TooManyRequests, "too many files followed"))
            }
            _ => Ok(opened),
        });
        let Opened { body, etag, followed } = match result {
            Ok(opened) => opened,
            Err(error) => return self.refuse_voxel(stream, &error, Value::from(path_of(&request.target))),
        };
        if let (Some((watched, file)), Some(wish)) = (followed, request.follow) {
            self.count("webtransport", Status::Ok, Value::from(path_of(&request.target)));
            return self.follow(stream, Follow::new(watched, file, flow, wish, arrived));
        }
        let (length, lengths) = (body.left(), body.lengths());
        let Some(response) = self.responses.get_mut(stream) else { return };
        response.source = Source::Body(body);
        response.announced = None;
        if let Some(flow) = flow {
            let mut prefix = Vec::new();
            varint::encode(session.id / 4, &mut prefix);
            let deadline = request.deadline.and_then(|deadline| arrived.checked_add(deadline));
            response.delivery = Delivery::Datagrams { flow };
            let mut flow = Flow::new(flow, length, datagram_size, &prefix);
            if let Some(parity) = &request.parity {
                flow = flow.with_parity(parity.clone(), lengths);
            }
            response.push(unreliable_head(request, &flow, &etag));
            session.scheduler.add(flow, deadline);
        } else {
            response.push(reliable_head(request, length, &etag));
            self.flow_ended(stream);
        }
        self.count("webtransport", request.status(), Value::from(path_of(&request.target)));
    }

    pub(super) fn refuse_voxel(&mut self, stream: u64, error: &HttpError, target: Value) {
        let mut response = Response::new(Delivery::Stream, Source::None);
        response.push(error_response(error));
        response.end();
        self.responses.insert(stream, response);
        self.flow_ended(stream);
        self.count("webtransport", error.status, target);
    }

    pub(super) fn http_request(&mut self, stream: u64, head: Head) {
        if let Err(error) = self.in_flight.check(stream) {
            return self.respond(stream, refusal(&error), Value::from(path_of(&head.target)));
        }
        let Head { method, target, authority, headers, .. } = head;
        self.responses.insert(stream, Response::new(Delivery::Http3, Source::Job));
        let request = HttpRequest { method, target, authority, headers };
        self.shared.jobs.start(self.key, stream, Job::Respond(request));
    }

    pub(super) fn respond(&mut self, stream: u64, answer: HttpAnswer, target: Value) {
        self.count("http3", answer.status, target);
        self.respond_with(stream, answer);
    }

    pub(super) fn respond_with(&mut self, stream: u64, answer: HttpAnswer) {
        let mut response = Response::new(Delivery::Http3, Source::Body(answer.body));
        response.waker =
            answer.growing.as_ref().map(|it| self.shared.jobs.watch(self.key, stream, it.watched.changes()));
        response.growing = answer.growing.map(|growing| (growing, Instant::now()));
        let headers = answer.headers.iter().map(|(name, value)| (*name, value.as_str()));
        response.push(http3::encode_response_head(answer.status, headers));
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
            Outcome::Read(..) if response.ends() => {} // The flow's deadline has passed.
            Outcome::Read(body, Ok(chunk)) if response.follow.is_some() => self.follow_read(stream, body, &chunk),
            Outcome::Read(body, Ok(chunk)) => {
                response.source = Source::Body(body);
                match response.delivery {
                    Delivery::Datagrams { flow } => {
                        let flow = self.session.as_mut().and_then(|session| session.scheduler.get_mut(flow));
                        if let Some(flow) = flow {
                            flow.push(&chunk);
                        }
                        return;
                    }
                    Delivery::Http3 => response.push(http3::encode_data_head(chunk.len())),
                    Delivery::Stream | Delivery::Session | Delivery::Follow { .. } => {}
                }
                self.shared.site.metrics.add("voxel_stream_bytes_total", chunk.len() as i64);
                response.push(chunk);
            }
            Outcome::Read(_, Err(error)) => {
                let error = Value::from(error.to_string());
                log::warning("answer failed", &[("stream", Value::from(stream)), ("error", error)]);
                self.cancelled(stream);
            }
        }
    }

    /// Starts the next read of a response, or ends it if everything has been read.
    pub(super) fn advance(&mut self, stream: u64) {
        let ahead = self.responses.ahead_bytes();
        let Some(response) = self.responses.get_mut(stream) else { return };
        if response.ends() {
            return;
        }
        let (finished, room) = match response.delivery {
            Delivery::Session => return,
            Delivery::Follow { .. } => return self.advance_follow(stream),
            Delivery::Stream | Delivery::Http3 => (false, response.pending_bytes() < ahead),
            Delivery::Datagrams { flow } => {
                let flow = self.session.as_ref().and_then(|session| session.scheduler.get(flow));
                flow.map_or((true, false), |flow| (flow.finished(), flow.unsent_bytes() < ahead))
            }
        };
        if finished {
            return self.end_flow(stream);
        }
        if response.waits_for.is_some() {
            return;
        }
        match std::mem::replace(&mut response.source, Source::None) {
            Source::Body(body) if body.left() > 0 && room => {
                response.source = Source::Job;
                let room = body.room(ahead / 2);
                self.shared.jobs.start(self.key, stream, Job::Read(body, room));
            }
            Source::Body(body) if body.left() == 0 && response.growing.is_some() => {
                response.source = Source::Body(body);
                if response.grow() {
                    self.advance(stream);
                }
            }
            Source::Body(body) if body.left() == 0 && !matches!(response.delivery, Delivery::Datagrams { .. }) => {
                response.end();
            }
            source => response.source = source,
        }
    }

    /// The flow's last datagram is in a packet, or its deadline has passed.
    pub(super) fn end_flow(&mut self, stream: u64) {
        let rtt = self.smoothed_rtt();
        let Some(response) = self.responses.get_mut(stream) else { return };
        let Delivery::Datagrams { flow } = response.delivery else { return };
        let Some(flow) = self.session.as_mut().and_then(|session| session.scheduler.remove(flow)) else { return };
        (response.source, response.delivery) = (Source::None, Delivery::Stream);
        response.push(unreliable_end(flow.sent_bytes(), flow.sent_datagrams(), rtt, flow.sent_parity_bytes()));
        response.end();
        self.count_flow(&flow);
        self.flow_ended(stream);
    }

    /// Starts the responses that have waited for the flow of `stream`: it will have no more datagrams.
    pub(super) fn flow_ended(&mut self, stream: u64) {
        for waiting in self.responses.release(stream) {
            self.advance(waiting);
        }
    }

    pub(super) fn count_flow(&self, flow: &Flow) {
        count_flow(&self.shared.site.metrics, flow);
    }

    /// `None` before the first sample.
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
