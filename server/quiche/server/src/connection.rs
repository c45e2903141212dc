//! One client's QUIC connection: requests in, responses out as stream bytes and datagrams.

mod follows;
mod in_flight;
mod live;
mod old_paths;
mod requests;
mod sending;
mod sessions;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use serde_json::Value;
use voxel_protocol::delivery_rate::DeliveryRate;
use voxel_protocol::error::HttpError;
use voxel_protocol::framing::goaway_frame;
use voxel_protocol::pacer::Pacer;
use voxel_protocol::window::Window;

use crate::http3::{self, Http3, Http3Event};
use crate::jobs::Jobs;
use crate::metrics::Counted;
use crate::places::{Kind, Place, Places};
use crate::quic::{LiveControlChoice, QuicConnection};
use crate::responses::{Responses, Stage};
use crate::session::Session;
use crate::site::{Site, refusal};
use in_flight::InFlight;
use live::Live;
use old_paths::{OldPaths, Path};
use requests::count_flow;

/// What all connections share.
#[derive(Clone, Debug)]
pub struct Shared {
    pub site: Arc<Site>,
    pub jobs: Jobs,
    pub places: Places,
    pub live_control: LiveControlChoice,
}

/// The result of [`Connection::next_packet`].
#[derive(Debug)]
pub enum Next {
    /// A packet of `length` bytes.
    Packet { length: usize, to: SocketAddr },
    /// No packet before that time.
    Paced(Instant),
    /// Nothing to send until something happens.
    Nothing,
}

pub struct Connection {
    key: u64,
    pub quic: QuicConnection,
    shared: Shared,
    /// The server's address that the client uses.
    pub local_ip: Option<IpAddr>,
    pub opened: Instant,
    /// The client's address when the connection was opened, under which it and its requests are counted.
    address: IpAddr,
    _place: Place,
    /// That of its handshake, until it is finished.
    handshake: Option<Place>,
    _counted: Counted,
    http: Http3,
    /// Unsent bytes of the control stream.
    control: Bytes,
    responses: Responses,
    in_flight: InFlight,
    session: Option<Session>,
    /// The path that `window`, `pacer`, `delivery_rate` and `live` belong to.
    path: Option<Path>,
    old_paths: OldPaths,
    window: Window,
    pacer: Pacer,
    delivery_rate: DeliveryRate,
    /// `None`: the session has never followed a file.
    live: Option<Live>,
    /// Whether slow start is over and no queue grows, so that parity may be sent.
    has_room: bool,
    /// Whether `send` had only datagrams to send, and nothing has happened since that could change this.
    only_datagrams: bool,
    /// Packets that may leave before BBRv2's time for them.
    burst: u32,
    /// Streams whose response QUIC has accepted completely and the client has not acknowledged.
    unacknowledged: Vec<u64>,
}

impl Connection {
    /// A connection that QUIC has accepted, of a client at `address`, with its places.
    pub fn new(
        key: u64,
        quic: QuicConnection,
        shared: Shared,
        (address, place, handshake): (IpAddr, Place, Option<Place>),
        now: Instant,
    ) -> Self {
        Self {
            key,
            quic,
            local_ip: None,
            opened: now,
            address,
            _place: place,
            handshake,
            _counted: shared.site.metrics.count("voxel_quic_connections"),
            http: Http3::new(shared.site.limits.head_bytes),
            control: http3::settings(shared.site.discovery.is_some()).into(),
            responses: Responses::default(),
            in_flight: InFlight::default(),
            session: None,
            path: None,
            old_paths: OldPaths::default(),
            window: Window::default(),
            pacer: Pacer::default(),
            delivery_rate: DeliveryRate::default(),
            live: None,
            has_room: false,
            only_datagrams: false,
            burst: 0,
            unacknowledged: Vec::new(),
            shared,
        }
    }

    /// Whether a request is in flight, until the client has acknowledged the last byte of its response.
    pub fn busy(&self) -> bool {
        self.responses.in_flight() > 0 || !self.unacknowledged.is_empty()
    }

    /// Handles what QUIC has received; must be called after packets.
    pub fn received(&mut self, now: Instant) {
        if !self.quic.is_established() {
            return;
        }
        self.handshake = None;
        self.send_control();
        self.read_streams(now);
        self.look_for_stopped_streams();
        // Datagrams from clients have no meaning in voxel-1.
        while self.quic.dgram_recv_buf().is_ok() {}
        while self.quic.path_event_next().is_some() {}
        let quic = &mut self.quic;
        let lacks = |stream: &u64| !matches!(quic.stream_capacity(*stream), Err(quiche::Error::InvalidStreamState(_)));
        self.unacknowledged.retain(lacks);
    }

    fn send_control(&mut self) {
        if !self.control.is_empty()
            && let Ok(sent) = self.quic.stream_send(http3::CONTROL_STREAM, &self.control, false)
        {
            self.control = self.control.split_off(sent);
        }
    }

    /// Asks the client to send further requests elsewhere.
    pub fn go_away(&mut self) {
        self.control = [&self.control[..], &goaway_frame()].concat().into();
        if self.quic.is_established() {
            self.send_control();
        }
    }

    fn read_streams(&mut self, now: Instant) {
        let mut buffer = [0; 16 * 1024];
        while let Some(stream) = self.quic.stream_readable_next() {
            loop {
                let events = match self.quic.stream_recv(stream, &mut buffer) {
                    Ok((length, fin)) => {
                        self.begin_request(stream, now);
                        self.http.feed(stream, &buffer[..length], fin)
                    }
                    Err(quiche::Error::StreamReset(_)) => {
                        self.cancelled(stream);
                        self.http.reset(stream).map(|()| Vec::new())
                    }
                    Err(_) => break,
                };
                match events {
                    Ok(events) => events.into_iter().for_each(|event| self.http_event(stream, event, now)),
                    Err(error) => return self.close(error.code(), &error.to_string()),
                }
            }
        }
    }

    /// Counts a request from its first byte on.
    fn begin_request(&mut self, stream: u64, now: Instant) {
        if http3::is_bidirectional(stream) && !self.http.is_open(stream) {
            let room = self.in_flight.len() < self.shared.site.limits.requests_per_connection;
            let place = room.then(|| self.shared.places.take(Kind::Request, self.address)).flatten();
            self.in_flight.begin(stream, place, now);
        }
    }

    /// quiche marks a stream as writable when the client stops reading it; its capacity is then the reason.
    fn look_for_stopped_streams(&mut self) {
        for stream in self.quic.writable().collect::<Vec<_>>() {
            if let Err(quiche::Error::StreamStopped(_)) = self.quic.stream_capacity(stream) {
                self.cancelled(stream);
            }
        }
    }

    fn http_event(&mut self, stream: u64, event: Http3Event, now: Instant) {
        match event {
            Http3Event::Request(head) if head.protocol.is_some() => self.connect(stream, &head, now),
            Http3Event::Request(head) => self.http_request(stream, head),
            Http3Event::HeadTooLong => {
                self.stop_reading(stream, http3::H3_EXCESSIVE_LOAD);
                self.respond(stream, refusal(&HttpError::head_too_long()), Value::Null);
            }
            Http3Event::Incomplete => self.reject(stream, http3::H3_REQUEST_INCOMPLETE),
            Http3Event::Malformed => {
                self.reject(stream, http3::H3_MESSAGE_ERROR);
                self.cancelled(stream);
            }
            Http3Event::SessionData { session, data, fin } => {
                if self.session.as_ref().is_none_or(|open| open.id != session) {
                    self.reject(stream, http3::BUFFERED_STREAM_REJECTED);
                } else {
                    self.session_data(stream, &data, fin, now);
                }
            }
            Http3Event::Body(data) => self.capsules(stream, &data),
            Http3Event::Ended => self.session_ended(stream),
            Http3Event::Unwanted => self.stop_reading(stream, http3::BUFFERED_STREAM_REJECTED),
        }
    }

    /// Resets responses that their client has not read for too long, or whose file does not grow any more, and requests whose head takes too long; returns
    /// whether there was one.
    pub fn reset_stalled(&mut self, now: Instant) -> bool {
        let limits = &self.shared.site.limits;
        let stalled = self.responses.stalled(now, limits.write_timeout);
        let given_up = self.responses.given_up(now);
        let mut half = self.in_flight.older(now, limits.head_timeout);
        half.retain(|stream| self.responses.get_mut(*stream).is_none());
        for stream in stalled.iter().chain(&given_up) {
            self.cancelled(*stream);
        }
        for stream in &half {
            self.reject(*stream, http3::H3_REQUEST_INCOMPLETE);
        }
        !stalled.is_empty() || !given_up.is_empty() || !half.is_empty()
    }

    /// The client has reset or stopped the stream, or its response cannot be finished.
    fn cancelled(&mut self, stream: u64) {
        if self.session.as_ref().is_some_and(|session| session.id == stream) {
            self.responses.remove(stream);
            self.end_session(None);
        }
        if let Some(session) = &mut self.session {
            session.readers.remove(&stream);
        }
        self.forget(stream);
        self.reset(stream);
    }

    /// Drops a stream's response and the unsent bytes of its flow.
    fn forget(&mut self, stream: u64) {
        self.in_flight.end(stream);
        let flow = self.responses.remove(stream).and_then(|response| match response.stage {
            Stage::Datagrams { flow, .. } => Some(flow),
            Stage::Follow { follow, .. } => follow.flow,
            _ => None,
        });
        if let (Some(flow), Some(session)) = (flow, &mut self.session) {
            session.scheduler.remove_parts(flow).iter().for_each(|flow| count_flow(&self.shared.site.metrics, flow));
        }
        self.flow_ended(stream);
    }

    fn reset(&mut self, stream: u64) {
        // Fails if the stream is closed already.
        let _ = self.quic.stream_shutdown(stream, quiche::Shutdown::Write, http3::WEBTRANSPORT_ERROR_0);
    }

    fn stop_reading(&mut self, stream: u64, code: u64) {
        let _ = self.quic.stream_shutdown(stream, quiche::Shutdown::Read, code);
    }

    fn reject(&mut self, stream: u64, code: u64) {
        self.in_flight.end(stream);
        if let Some(session) = &mut self.session {
            session.readers.remove(&stream);
        }
        // Fails for a control stream only, which is never rejected.
        let _ = self.http.reset(stream);
        self.stop_reading(stream, code);
        let _ = self.quic.stream_shutdown(stream, quiche::Shutdown::Write, code);
    }

    /// Ends the connection with an HTTP/3 error code.
    pub fn close(&mut self, code: u64, reason: &str) {
        // Fails if it is closed already.
        let _ = self.quic.close(true, code, reason.as_bytes());
    }

    /// Ends what belongs to the connection; must be called once, when QUIC has closed it.
    pub fn closed(mut self) {
        self.end_session(None);
    }
}
