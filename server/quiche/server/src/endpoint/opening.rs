//! A client's first packet: a connection for it, or a reply that costs this server nothing more.

use std::io;
use std::net::SocketAddr;
use std::time::{Instant, SystemTime};

use quiche::{ConnectionId, Header, RetryConnectionIds};
use serde_json::Value;

use super::Endpoint;
use super::refusal;
use crate::connection::Connection;
use crate::log;
use crate::places::Kind;
use crate::quic::PACKET_BYTES;

impl Endpoint {
    /// A connection for a client's first packet, if it may have one.
    pub(super) fn open(&mut self, header: &Header, local: SocketAddr, peer: SocketAddr, now: Instant) -> Option<u64> {
        if header.ty != quiche::Type::Initial {
            return None;
        }
        if !quiche::version_is_supported(header.version) {
            let mut reply = [0; PACKET_BYTES];
            let length = quiche::negotiate_version(&header.scid, &header.dcid, &mut reply).ok()?;
            self.socket.reply(&reply[..length], peer);
            return None;
        }
        let id = self.ids.make()?;
        let token = header.token.as_deref().unwrap_or_default();
        let crowded = || {
            self.shared.places.count(Kind::Handshake) >= self.shared.site.limits.handshakes
                || self.shared.places.is_crowded(Kind::Quic, peer.ip())
        };
        if token.is_empty() && crowded() {
            self.ask_for_token(header, &id, peer);
            return None;
        }
        let original = match token {
            [] => None,
            token => Some(self.tokens.check(token, &header.dcid, peer, SystemTime::now())?),
        };
        let retried = original
            .as_ref()
            .map(|original| RetryConnectionIds { original_destination_cid: original, retry_source_cid: &header.dcid });
        let Some(place) = self.shared.places.take(Kind::Quic, peer.ip()) else {
            if let Some(packet) = refusal::packet(header.version, &header.dcid, &header.scid) {
                self.socket.reply(&packet, peer);
            }
            return None;
        };
        self.config.set_stateless_reset_token(self.resets.token(&id));
        let mut quic = match retried {
            None => quiche::accept_with_buf_factory(&id, None, local, peer, &mut self.config),
            Some(retried) => quiche::accept_with_retry(&id, retried, local, peer, &mut self.config),
        }
        .ok()?;
        if let Some(folder) = &self.qlog {
            let path = folder.join(format!("{}.sqlog", quic.trace_id()));
            match std::fs::File::create(&path) {
                Ok(file) => quic.set_qlog(Box::new(io::BufWriter::new(file)), "voxel-quiche".into(), String::new()),
                Err(error) => log::warning("qlog file not created", &[("error", Value::from(error.to_string()))]),
            }
        }
        let handshake = self.shared.places.take(Kind::Handshake, peer.ip());
        // The client uses an ID of its own until it knows the server's.
        let ids: [ConnectionId; 2] = [id, header.dcid.clone().into_owned()];
        let shared = self.shared.clone();
        let new = |key| Connection::new(key, quic, shared, (peer.ip(), place, handshake), now);
        Some(self.connections.add(ids.into(), new))
    }

    /// Retry: the client starts again with a token that proves its address.
    fn ask_for_token(&self, header: &Header, id: &ConnectionId, peer: SocketAddr) {
        let mut reply = [0; PACKET_BYTES];
        let Some(token) = self.tokens.make(&header.dcid, id, peer, SystemTime::now()) else { return };
        if let Ok(length) = quiche::retry(&header.scid, &header.dcid, id, &token, header.version, &mut reply) {
            self.socket.reply(&reply[..length], peer);
        }
    }
}
