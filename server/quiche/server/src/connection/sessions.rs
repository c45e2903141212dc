//! The WebTransport session of a connection.

use std::time::Instant;

use serde_json::Value;
use voxel_protocol::capsules::Closing;
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::request::RequestReader;

use super::Connection;
use crate::http3::{self, Head};
use crate::log;
use crate::places::Kind;
use crate::responses::{Response, Stage, Transport};
use crate::session::{self, Session};
use crate::site::{path_of, refusal};

impl Connection {
    pub(super) fn connect(&mut self, stream: u64, head: &Head, now: Instant) {
        let site = &self.shared.site;
        self.in_flight.end(stream);
        let opened = session::check(site, head).and_then(|protocol| match self.session {
            None => Ok((
                protocol,
                self.shared.places.take(Kind::Session, self.address).ok_or_else(|| Kind::Session.refusal())?,
            )),
            Some(_) => Err(HttpError::new(Status::TooManyRequests, "this connection has a session")),
        });
        let origin = Value::from(head.headers.get("origin"));
        match opened {
            Ok((protocol, place)) => {
                let protocol = protocol.map(|protocol| format!("\"{protocol}\""));
                let headers = protocol.iter().map(|protocol| ("wt-protocol", protocol.as_str()));
                let mut response = Response::new(Transport::Http3, Stage::Session);
                response.pending.push(http3::encode_response_head(Status::Ok, headers));
                self.responses.insert(stream, response);
                self.session = Some(Session::new(stream, now, head, (place, site.metrics.count("voxel_sessions"))));
                site.metrics.add("voxel_sessions_total", 1);
                log::info("session opened", &[("client", self.client()), ("origin", origin)]);
            }
            Err(error) => {
                let (status, reason) = (Value::from(error.status.code()), Value::from(error.message.as_str()));
                log::info("session refused", &[("status", status), ("reason", reason), ("origin", origin)]);
                self.respond_with(stream, refusal(&error));
            }
        }
    }

    pub(super) fn client(&self) -> Value {
        self.quic.path_stats().find(|path| path.active).map(|path| path.peer_addr.to_string()).into()
    }

    /// Ends the session, if there is one.
    pub fn close_session(&mut self, code: u32, reason: &str) {
        if let Some(session) = &self.session
            && let Some(response) = self.responses.get_mut(session.id)
        {
            response.pending.push(http3::encode_close_session(code, reason));
        }
        self.end_session(Some(&Closing { code, reason: reason.to_owned() }));
    }

    /// Bytes on the stream of the CONNECT request. The capsule that closes a session ends it, whatever comes behind.
    pub(super) fn capsules(&mut self, stream: u64, data: &[u8]) {
        let Some(session) = self.session.as_mut().filter(|session| session.id == stream) else { return };
        session.capsules.feed(data);
        if session.capsules.closing().is_some() {
            self.session_ended(stream);
        }
    }

    /// The client has ended the stream of its CONNECT request, or said that it does.
    pub(super) fn session_ended(&mut self, stream: u64) {
        if let Some(session) = self.session.as_ref().filter(|session| session.id == stream) {
            let closing = session.capsules.closing().cloned().unwrap_or_default();
            self.end_session(Some(&closing));
        }
    }

    /// Whether the session has been without a request for too long.
    pub fn session_is_idle(&self, now: Instant) -> bool {
        let idle = self.shared.site.limits.session_idle;
        self.responses.in_flight() == 0
            && self.session.as_ref().is_some_and(|session| now.duration_since(session.last_request) > idle)
    }

    /// `closing`: what either side has said of it; `None`: its connection or stream broke.
    pub(super) fn end_session(&mut self, closing: Option<&Closing>) {
        if self.session.is_none() {
            return;
        }
        let half = self.session.iter_mut().flat_map(|session| session.readers.drain());
        for (stream, _) in half.filter(|(_, reader)| reader.is_some()).collect::<Vec<_>>() {
            self.reject(stream, http3::WEBTRANSPORT_ERROR_0);
        }
        for stream in self.responses.streams() {
            let Some(response) = self.responses.get_mut(stream) else { continue };
            if matches!(response.stage, Stage::Session) {
                response.stage = Stage::Ended;
            } else if response.transport == Transport::WebTransport {
                self.forget(stream);
                self.reset(stream);
            }
        }
        self.session = None;
        let mut fields = vec![("client", self.client())];
        if let Some(closing) = closing {
            fields.extend([("code", closing.code.into()), ("reason", closing.reason.as_str().into())]);
        }
        log::info("session closed", &fields);
    }

    pub(super) fn session_data(&mut self, stream: u64, data: &[u8], fin: bool, now: Instant) {
        let (limits, refused) = (&self.shared.site.limits, self.in_flight.check(stream));
        let Some(session) = &mut self.session else { return };
        let reader = session.readers.entry(stream).or_insert_with(|| Some(RequestReader::default()));
        let result = match reader {
            None => Ok(None), // Answered: further bytes are ignored.
            Some(_) if refused.is_err() => refused.map(|()| None),
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
        match result {
            Ok(None) => {}
            Ok(Some(request)) => match self.shared.site.refuse_while_draining() {
                Err(error) => self.refuse_voxel(stream, &error, Value::from(path_of(&request.target))),
                Ok(()) => self.voxel_request(stream, request, now),
            },
            Err(error) => {
                let unread = matches!(error.status, Status::HeaderFieldsTooLarge | Status::TooManyRequests);
                if unread && !fin {
                    self.stop_reading(stream, http3::WEBTRANSPORT_ERROR_0);
                }
                self.refuse_voxel(stream, &error, Value::Null);
            }
        }
    }
}
