//! One client's QUIC connection: requests in, responses out as stream bytes and datagrams.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::flow::Flow;
use voxel_protocol::pacer::Pacer;
use voxel_protocol::request::{RequestReader, VoxelRequest};
use voxel_protocol::response::{error_response, reliable_head, unreliable_end, unreliable_head};
use voxel_protocol::site::HttpRequest;
use voxel_protocol::varint;
use voxel_protocol::window::{Demand, Path, Window};

use crate::files::Body;
use crate::http3::{self, Head, Http3, Http3Event};
use crate::jobs::{Job, Jobs, Outcome};
use crate::log;
use crate::quic::PACKET_BYTES;
use crate::responses::{Carrier, Response, Responses, SEND_AHEAD_BYTES, Source};
use crate::session::{self, Session, SessionCount};
use crate::site::{HttpAnswer, Site, refusal};

/// What all connections share.
#[derive(Clone, Debug)]
pub struct Shared {
    pub site: Arc<Site>,
    pub jobs: Jobs,
    pub sessions: SessionCount,
}

/// What [`Connection::next_packet`] has to say.
#[derive(Debug)]
pub enum Next {
    /// A packet of so many bytes.
    Packet { length: usize, to: SocketAddr },
    /// There may be one at that time.
    Paced(Instant),
    /// There is none until something happens.
    Nothing,
}

pub struct Connection {
    key: u64,
    pub quic: quiche::Connection,
    shared: Shared,
    /// The address of ours that the client uses.
    pub local_ip: Option<IpAddr>,
    pub opened: Instant,
    http: Http3,
    /// What is unsent of the control stream.
    control: Bytes,
    responses: Responses,
    /// VOXEL requests whose file is being opened.
    opening: HashMap<u64, Opening>,
    session: Option<Session>,
    window: Window,
    pacer: Pacer,
    /// True: since `send` had nothing to send but datagrams, nothing has happened that could change it.
    only_datagrams: bool,
    /// Streams whose response QUIC has whole but the client may lack.
    unacknowledged: Vec<u64>,
}

/// A VOXEL request on its way to its file.
struct Opening {
    target: String,
    status: Status,
    flow: Option<u64>,
    deadline: Option<Instant>,
}

impl Connection {
    pub fn new(key: u64, quic: quiche::Connection, shared: Shared, now: Instant) -> Self {
        shared.site.metrics.add("voxel_quic_connections", 1);
        Self {
            key,
            quic,
            local_ip: None,
            opened: now,
            http: Http3::new(shared.site.limits.head_bytes),
            control: http3::settings(shared.site.discovery.is_some()).into(),
            responses: Responses::default(),
            opening: HashMap::new(),
            session: None,
            window: Window::default(),
            pacer: Pacer::default(),
            only_datagrams: false,
            unacknowledged: Vec::new(),
            shared,
        }
    }

    /// True while a request is in flight, up to the acknowledgement of its response's last byte.
    pub fn busy(&self) -> bool {
        self.responses.in_flight() > 0 || !self.unacknowledged.is_empty()
    }

    /// To be called after QUIC has received packets.
    pub fn received(&mut self, now: Instant) {
        if !self.quic.is_established() {
            return;
        }
        if !self.control.is_empty()
            && let Ok(sent) = self.quic.stream_send(http3::CONTROL_STREAM, &self.control, false)
        {
            self.control = self.control.split_off(sent);
        }
        self.read_streams(now);
        self.look_for_stopped_streams();
        // Those that the client sends have no meaning in voxel-1.
        while self.quic.dgram_recv_buf().is_ok() {}
        while self.quic.path_event_next().is_some() {}
        let quic = &mut self.quic;
        let lacks = |stream: &u64| !matches!(quic.stream_capacity(*stream), Err(quiche::Error::InvalidStreamState(_)));
        self.unacknowledged.retain(lacks);
    }

    fn read_streams(&mut self, now: Instant) {
        let mut buffer = [0; 16 * 1024];
        while let Some(stream) = self.quic.stream_readable_next() {
            loop {
                let events = match self.quic.stream_recv(stream, &mut buffer) {
                    Ok((length, fin)) => self.http.feed(stream, &buffer[..length], fin),
                    Err(quiche::Error::StreamReset(_)) => {
                        self.cancelled(stream);
                        self.http.reset(stream).map(|()| Vec::new())
                    }
                    Err(_) => break,
                };
                match events {
                    Ok(events) => events.into_iter().for_each(|event| self.http_event(event, now)),
                    Err(error) => return self.close(error.code(), &error.to_string()),
                }
            }
        }
    }

    /// quiche marks a stream writable when the client stops reading it, and says why when asked.
    fn look_for_stopped_streams(&mut self) {
        for stream in self.quic.writable().collect::<Vec<_>>() {
            if let Err(quiche::Error::StreamStopped(_)) = self.quic.stream_capacity(stream) {
                self.cancelled(stream);
            }
        }
    }

    fn http_event(&mut self, event: Http3Event, now: Instant) {
        match event {
            Http3Event::Request { stream, head } if head.method == "CONNECT" => self.connect(stream, &head, now),
            Http3Event::Request { stream, head } => self.http_request(stream, head),
            Http3Event::HeadTooLong { stream } => {
                self.stop_reading(stream, http3::H3_EXCESSIVE_LOAD);
                self.respond(stream, refusal(&HttpError::head_too_long()), Value::Null);
            }
            Http3Event::Malformed { stream } => self.reject(stream, http3::H3_MESSAGE_ERROR),
            Http3Event::SessionData { stream, session, data, fin } => {
                if self.session.as_ref().is_none_or(|open| open.id != session) {
                    self.reject(stream, http3::BUFFERED_STREAM_REJECTED);
                } else {
                    self.session_data(stream, &data, fin, now);
                }
            }
            Http3Event::Ended { stream } if self.session.as_ref().is_some_and(|open| open.id == stream) => {
                self.end_session();
            }
            Http3Event::Ended { .. } => {}
            Http3Event::Unwanted { stream } => self.stop_reading(stream, http3::BUFFERED_STREAM_REJECTED),
        }
    }

    // --- sessions

    fn connect(&mut self, stream: u64, head: &Head, now: Instant) {
        let site = &self.shared.site;
        let opened = session::check(site, head, &self.shared.sessions).and_then(|protocol| match self.session {
            None => Ok(protocol),
            Some(_) => Err(HttpError::new(Status::TooManyRequests, "this connection has a session")),
        });
        let origin = Value::from(head.headers.get("origin"));
        match opened {
            Ok(protocol) => {
                let protocol = protocol.map(|protocol| format!("\"{protocol}\""));
                let headers = protocol.iter().map(|protocol| ("wt-protocol", protocol.as_str()));
                let mut response = Response::new(Carrier::Session, Source::None);
                response.push(http3::encode_response_head(Status::Ok, headers));
                self.responses.insert(stream, response);
                self.session = Some(Session::new(stream, now, &self.shared.sessions));
                site.metrics.add("voxel_sessions_total", 1);
                site.metrics.add("voxel_sessions", 1);
                log::info("session opened", &[("client", self.client()), ("origin", origin)]);
            }
            Err(error) => {
                let (status, reason) = (Value::from(error.status.code()), Value::from(error.message.as_str()));
                log::info("session refused", &[("status", status), ("reason", reason), ("origin", origin)]);
                self.respond_with(stream, refusal(&error));
            }
        }
    }

    fn client(&self) -> Value {
        self.quic.path_stats().find(|path| path.active).map(|path| path.peer_addr.to_string()).into()
    }

    /// Ends the session, if there is one, with application error code 0.
    pub fn close_session(&mut self, reason: &str) {
        if let Some(session) = &self.session
            && let Some(response) = self.responses.get_mut(session.id)
        {
            response.push(http3::encode_close_session(reason));
        }
        self.end_session();
    }

    /// Whether the session has made no request for too long.
    pub fn session_is_idle(&self, now: Instant) -> bool {
        let idle = self.shared.site.limits.session_idle;
        self.responses.in_flight() == 0
            && self.session.as_ref().is_some_and(|session| now.duration_since(session.last_request) > idle)
    }

    fn end_session(&mut self) {
        if self.session.is_none() {
            return;
        }
        for stream in self.responses.streams() {
            let Some(response) = self.responses.get_mut(stream) else { continue };
            match response.carrier {
                Carrier::Session => response.end(),
                Carrier::Stream | Carrier::Datagrams { .. } => {
                    self.forget(stream);
                    self.reset(stream);
                }
                Carrier::Http3 => {}
            }
        }
        self.session = None;
        self.shared.site.metrics.add("voxel_sessions", -1);
        log::info("session closed", &[("client", self.client())]);
    }

    fn session_data(&mut self, stream: u64, data: &[u8], fin: bool, now: Instant) {
        let limits = &self.shared.site.limits;
        let Some(session) = &mut self.session else { return };
        let reader = session.readers.entry(stream).or_insert_with(|| Some(RequestReader::default()));
        let result = match reader {
            None => Ok(None), // Answered: what still comes is ignored.
            Some(reader) => reader.feed(data, limits),
        };
        let result = match result {
            Ok(None) if fin => reader.take().map_or(Ok(None), |reader| Err(reader.end())),
            result => result,
        };
        let answered = !matches!(result, Ok(None));
        if answered {
            *reader = None;
        }
        if fin {
            session.readers.remove(&stream);
        }
        let in_flight = self.responses.in_flight();
        match result {
            Ok(None) => {}
            Ok(Some(request)) => match self.shared.site.refuse_while_draining() {
                Err(error) => self.refuse_voxel(stream, &error, Value::from(request.target)),
                Ok(()) if in_flight >= limits.requests_per_connection => {
                    let error = HttpError::new(Status::TooManyRequests, "too many requests in flight");
                    self.refuse_voxel(stream, &error, Value::from(request.target));
                }
                Ok(()) => self.voxel_request(stream, request, now),
            },
            Err(error) => {
                if error.status == Status::HeaderFieldsTooLarge && !fin {
                    self.stop_reading(stream, http3::WEBTRANSPORT_ERROR_0);
                }
                self.refuse_voxel(stream, &error, Value::Null);
            }
        }
    }

    // --- VOXEL requests

    fn voxel_request(&mut self, stream: u64, request: VoxelRequest, now: Instant) {
        if let Some(session) = &mut self.session {
            session.last_request = now;
        }
        let opening = Opening {
            target: request.target.clone(),
            status: if request.ranges.is_none() { Status::Ok } else { Status::PartialContent },
            flow: request.flow,
            deadline: request.deadline.and_then(|deadline| now.checked_add(deadline)),
        };
        self.opening.insert(stream, opening);
        self.responses.insert(stream, Response::new(Carrier::Stream, Source::Job));
        self.shared.jobs.start(self.key, stream, Job::Open(request));
    }

    fn voxel_opened(&mut self, stream: u64, result: Result<Body, HttpError>) {
        let Some(opening) = self.opening.remove(&stream) else { return };
        let datagram_size = self.quic.dgram_max_writable_len().unwrap_or(0);
        let flow = opening.flow.filter(|_| datagram_size > 0);
        let Some(session) = &mut self.session else { return };
        let result = result.and_then(|body| match flow {
            Some(flow) if session.scheduler.get(flow).is_some() => {
                Err(HttpError::bad_request(format!("flow {flow} is in use")))
            }
            _ => Ok(body),
        });
        let target = Value::from(opening.target);
        let body = match result {
            Ok(body) => body,
            Err(error) => return self.refuse_voxel(stream, &error, target),
        };
        let (length, status) = (body.left(), opening.status);
        let Some(response) = self.responses.get_mut(stream) else { return };
        response.source = Source::Body(body);
        if let Some(flow) = flow {
            let mut prefix = Vec::new();
            varint::encode(session.id / 4, &mut prefix);
            session.scheduler.add(Flow::new(flow, length, datagram_size, &prefix), opening.deadline);
            response.carrier = Carrier::Datagrams { flow };
            response.push(unreliable_head(status, length, flow));
        } else {
            response.push(reliable_head(status, length));
        }
        self.count("webtransport", status, target);
    }

    fn refuse_voxel(&mut self, stream: u64, error: &HttpError, target: Value) {
        let mut response = Response::new(Carrier::Stream, Source::None);
        response.push(error_response(error));
        response.end();
        self.responses.insert(stream, response);
        self.count("webtransport", error.status, target);
    }

    // --- ordinary requests

    fn http_request(&mut self, stream: u64, head: Head) {
        if self.responses.in_flight() >= self.shared.site.limits.requests_per_connection {
            let error = HttpError::new(Status::TooManyRequests, "too many requests in flight");
            return self.respond(stream, refusal(&error), Value::from(head.target));
        }
        let Head { method, target, authority, headers, .. } = head;
        self.responses.insert(stream, Response::new(Carrier::Http3, Source::Job));
        let request = HttpRequest { method, target, authority, headers };
        self.shared.jobs.start(self.key, stream, Job::Respond(request));
    }

    fn respond(&mut self, stream: u64, answer: HttpAnswer, target: Value) {
        self.count("http3", answer.status, target);
        self.respond_with(stream, answer);
    }

    fn respond_with(&mut self, stream: u64, answer: HttpAnswer) {
        let mut response = Response::new(Carrier::Http3, Source::Body(answer.body));
        let headers = answer.headers.iter().map(|(name, value)| (*name, value.as_str()));
        response.push(http3::encode_response_head(answer.status, headers));
        self.responses.insert(stream, response);
    }

    fn count(&self, transport: &str, status: Status, target: Value) {
        self.shared.site.metrics.add_request(transport, status);
        log::info("request", &[("transport", transport.into()), ("status", status.code().into()), ("target", target)]);
    }

    // --- jobs

    /// A job for a stream is done. What was cancelled meanwhile is not there any more.
    pub fn completed(&mut self, stream: u64, outcome: Outcome) {
        let Some(response) = self.responses.get_mut(stream) else { return };
        match outcome {
            Outcome::Responded { target, answer } => self.respond(stream, answer, target.into()),
            Outcome::Opened(result) => self.voxel_opened(stream, result),
            Outcome::Read(body, Ok(chunk)) => {
                response.source = Source::Body(body);
                match response.carrier {
                    Carrier::Datagrams { flow } => {
                        let flow = self.session.as_mut().and_then(|session| session.scheduler.get_mut(flow));
                        if let Some(flow) = flow {
                            flow.push(&chunk);
                        }
                        return;
                    }
                    Carrier::Http3 => response.push(http3::encode_data_head(chunk.len())),
                    Carrier::Stream | Carrier::Session => {}
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

    /// Reads on, ends what is complete.
    fn advance(&mut self, stream: u64) {
        let Some(response) = self.responses.get_mut(stream) else { return };
        if response.ends() {
            return;
        }
        let (finished, room) = match response.carrier {
            Carrier::Session => return,
            Carrier::Stream | Carrier::Http3 => (false, response.has_room()),
            Carrier::Datagrams { flow } => {
                let flow = self.session.as_ref().and_then(|session| session.scheduler.get(flow));
                flow.map_or((true, false), |flow| (flow.finished(), flow.unsent_bytes() < SEND_AHEAD_BYTES))
            }
        };
        if finished {
            return self.end_flow(stream);
        }
        match std::mem::replace(&mut response.source, Source::None) {
            Source::Body(body) if body.left() > 0 && room => {
                response.source = Source::Job;
                self.shared.jobs.start(self.key, stream, Job::Read(body));
            }
            Source::Body(body) if body.left() == 0 && !matches!(response.carrier, Carrier::Datagrams { .. }) => {
                response.end();
            }
            source => response.source = source,
        }
    }

    /// The flow's last datagram has gone into a packet, or its deadline has passed.
    fn end_flow(&mut self, stream: u64) {
        let rtt = self.smoothed_rtt();
        let Some(response) = self.responses.get_mut(stream) else { return };
        let Carrier::Datagrams { flow } = response.carrier else { return };
        let Some(flow) = self.session.as_mut().and_then(|session| session.scheduler.remove(flow)) else { return };
        response.source = Source::None;
        response.push(unreliable_end(flow.sent_bytes(), flow.sent_datagrams(), rtt));
        response.end();
        self.count_flow(&flow);
    }

    fn count_flow(&self, flow: &Flow) {
        let metrics = &self.shared.site.metrics;
        metrics.add("voxel_datagram_bytes_total", flow.sent_bytes().cast_signed());
        metrics.add("voxel_datagrams_total", flow.sent_datagrams().cast_signed());
        if flow.sent_bytes() < flow.length() {
            metrics.add("voxel_flows_cut_total", 1);
        }
    }

    /// `None` before the first sample.
    fn smoothed_rtt(&self) -> Option<Duration> {
        let path = self.quic.path_stats().find(|path| path.active)?;
        path.min_rtt.map(|_| path.rtt)
    }

    // --- ends

    /// The client has reset or stopped the stream, or its response cannot be finished.
    fn cancelled(&mut self, stream: u64) {
        if self.session.as_ref().is_some_and(|session| session.id == stream) {
            self.responses.remove(stream);
            self.end_session();
        }
        if let Some(session) = &mut self.session {
            session.readers.remove(&stream);
        }
        self.forget(stream);
        self.reset(stream);
    }

    /// Drops a stream's response and what its flow has unsent.
    fn forget(&mut self, stream: u64) {
        self.opening.remove(&stream);
        let Some(Response { carrier: Carrier::Datagrams { flow }, .. }) = self.responses.remove(stream) else { return };
        if let Some(flow) = self.session.as_mut().and_then(|session| session.scheduler.remove(flow)) {
            self.count_flow(&flow);
        }
    }

    fn reset(&mut self, stream: u64) {
        // A stream that is gone needs no reset.
        let _ = self.quic.stream_shutdown(stream, quiche::Shutdown::Write, http3::WEBTRANSPORT_ERROR_0);
    }

    fn stop_reading(&mut self, stream: u64, code: u64) {
        let _ = self.quic.stream_shutdown(stream, quiche::Shutdown::Read, code);
    }

    fn reject(&mut self, stream: u64, code: u64) {
        self.stop_reading(stream, code);
        let _ = self.quic.stream_shutdown(stream, quiche::Shutdown::Write, code);
    }

    /// Ends the connection with an HTTP/3 error code.
    pub fn close(&mut self, code: u64, reason: &str) {
        // It may be closed already.
        let _ = self.quic.close(true, code, reason.as_bytes());
    }

    /// To be called once, when QUIC has forgotten the connection.
    pub fn closed(mut self) {
        self.end_session();
        self.shared.site.metrics.add("voxel_quic_connections", -1);
    }

    // --- sending

    /// When something is due: [`Connection::expire`] is to be called then.
    pub fn next_timeout(&self) -> Option<Instant> {
        let deadline = self.session.as_ref().and_then(|session| session.scheduler.next_deadline());
        [self.quic.timeout_instant(), deadline].into_iter().flatten().min()
    }

    /// What was due by `now`.
    pub fn expire(&mut self, now: Instant) {
        if self.quic.timeout_instant().is_some_and(|due| due <= now) {
            self.quic.on_timeout();
        }
        if let Some(session) = &mut self.session {
            session.scheduler.expire(now);
        }
    }

    /// To be called before the first [`Connection::next_packet`] of a round.
    pub fn prepare(&mut self, now: Instant) {
        for stream in self.responses.streams() {
            self.advance(stream);
        }
        self.hand_over();
        if let Some(path) = self.quic.path_stats().find(|path| path.active) {
            let demand = if self.wants_to_send() { Demand::Full } else { Demand::Limited };
            let known = Path { rtt: path.rtt, min_rtt: path.min_rtt, lost: path.lost, packet: PACKET_BYTES };
            let window = self.window.update(now, &known, demand);
            self.pacer.update(now, window, path.rtt, PACKET_BYTES);
        }
    }

    fn wants_to_send(&self) -> bool {
        self.responses.pending() || self.session.as_ref().is_some_and(|it| it.scheduler.next_datagram().is_some())
    }

    fn hand_over(&mut self) {
        self.only_datagrams = false;
        let handed_over = self.responses.hand_over(&mut self.quic);
        self.unacknowledged.extend(handed_over.sent);
        for stream in handed_over.refused {
            self.cancelled(stream);
        }
    }

    /// The next packet, written to the start of `out`.
    pub fn next_packet(&mut self, out: &mut [u8], now: Instant) -> Next {
        if let Some(later) = self.release_time(now) {
            return Next::Paced(later);
        }
        let sent = if self.only_datagrams { Err(quiche::Error::Done) } else { self.quic.send(out) };
        let sent = match sent {
            // Streams, retransmissions and all else have nothing that may leave now: it is a datagram's turn.
            Err(quiche::Error::Done) => {
                self.only_datagrams = true;
                self.send_datagram(out)
            }
            Err(error) => {
                self.close(http3::H3_NO_ERROR, &error.to_string());
                None
            }
            Ok((length, info)) => Some((length, info.to)),
        };
        match sent {
            None => Next::Nothing,
            Some((length, to)) => {
                self.pacer.sent(now, length);
                Next::Packet { length, to }
            }
        }
    }

    fn release_time(&mut self, now: Instant) -> Option<Instant> {
        if self.quic.gcongestion_enabled() != Some(true) {
            return self.pacer.release(now);
        }
        let decision = self.quic.get_next_release_time()?;
        let time = decision.time(now).filter(|_| !decision.can_burst())?;
        // quiche counts a packet from its time or, if that is later, from when it left: what leaves late slows it down.
        let ahead = self.quic.max_release_into_future();
        (time > now + ahead).then_some(now + (time - now).saturating_sub(ahead / 2))
    }

    /// Lends QUIC a datagram for the time of one `send`: if the congestion window does not let it go, it comes back.
    fn send_datagram(&mut self, out: &mut [u8]) -> Option<(usize, SocketAddr)> {
        let (number, datagram) = self.session.as_ref()?.scheduler.next_datagram()?;
        self.quic.dgram_send_buf(datagram.bytes).ok()?;
        let sent = self.quic.send(out);
        if self.quic.dgram_send_queue_len() > 0 {
            self.quic.dgram_purge_outgoing(|_| true);
        } else if let Some(flow) = self.session.as_mut().and_then(|session| session.scheduler.get_mut(number)) {
            flow.commit(datagram.payload);
            if flow.finished()
                && let Some(stream) = self.responses.stream_of_flow(number)
            {
                self.end_flow(stream);
                self.hand_over();
            }
        }
        sent.ok().map(|(length, info)| (length, info.to))
    }
}
