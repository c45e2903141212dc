//! Packets of a connection: when they leave, and what is in them.

use std::net::SocketAddr;
use std::time::Instant;

use voxel_protocol::delivery_rate::DeliveryRate;
use voxel_protocol::pacer::Pacer;
use voxel_protocol::window::{Demand, Path as PathFigures, Window};

use super::old_paths::Path;
use super::{Connection, Next};
use crate::http3;
use crate::quic::PACKET_BYTES;

/// What may leave at once under BBRv2 after there was nothing to send: a live chunk is not spread over the time to the next
/// one, and its first packets show the path's rate instead of the pacer's. As RFC 9002 section 7.7 allows.
const BURST_PACKETS: u32 = 10;

impl Connection {
    /// The time at which [`Connection::expire`] must be called.
    pub fn next_timeout(&self) -> Option<Instant> {
        let deadline = self.session.as_ref().and_then(|session| session.scheduler.next_deadline());
        [self.quic.timeout_instant(), deadline].into_iter().flatten().min()
    }

    /// Handles everything that was due by `now`.
    pub fn expire(&mut self, now: Instant) {
        if self.quic.timeout_instant().is_some_and(|due| due <= now) {
            self.quic.on_timeout();
            self.acknowledged();
            self.let_probes_leave();
        }
        if let Some(session) = &mut self.session {
            session.scheduler.expire(now);
        }
    }

    /// Prepares a round; must be called before its first [`Connection::next_packet`].
    pub fn prepare(&mut self, now: Instant) {
        // Again after the first time: what QUIC has taken makes room, and else nothing would look before the next packet arrives.
        for _ in 0..2 {
            for stream in self.responses.streams() {
                self.advance(stream);
            }
            self.hand_over(now);
        }
        let active = self.quic.path_stats().find(|path| path.active);
        if let Some(path) = active {
            self.use_path((path.local_addr, path.peer_addr));
            self.control_live(now, &path);
            let demand = if self.wants_to_send() { Demand::Full } else { Demand::Limited };
            let known = PathFigures { rtt: path.rtt, min_rtt: path.min_rtt, lost: path.lost, packet: PACKET_BYTES };
            let ordinary = self.window.update(now, &known, demand);
            let live = self.live_pace();
            let (window, time) = live.unwrap_or((ordinary, path.rtt));
            self.pacer.update(now, window, time, PACKET_BYTES);
            self.delivery_rate.update(now, self.quic.stats().acked_bytes, path.rtt, demand);
            let slow_start = match self.quic.gcongestion_enabled() {
                Some(true) => path.startup_exit.is_none(),
                _ => live.is_none() && self.window.in_slow_start(),
            };
            self.has_room = !slow_start && !known.queues_grow();
        }
    }

    /// Begins anew where the client has come from another address, as quiche's own congestion control does: what one
    /// path carried says nothing of another (RFC 9000 section 9.4).
    fn use_path(&mut self, path: Path) {
        if self.path.replace(path).is_some_and(|last| last != path) {
            (self.window, self.pacer) = (Window::default(), Pacer::default());
            self.delivery_rate = DeliveryRate::default();
            self.live = None;
        }
        if self.quic.is_path_validated(path.0, path.1) == Ok(true) {
            self.old_paths.update(self.quic.path_stats());
        }
    }

    /// A packet that lets quiche find what was lost on a path that the client has left.
    fn packet_of_old_path(&mut self, out: &mut [u8]) -> Option<(usize, SocketAddr)> {
        while let (Some((local, peer)), Some((_, present))) = (self.old_paths.take(), self.path) {
            let asked = self.quic.send_ack_eliciting_on_path(local, peer);
            // Fails while the path's congestion window is full, which its next probe timeout lifts, and once quiche has
            // forgotten the path.
            if asked.is_ok()
                && let Ok((length, _)) = self.quic.send_on_path(out, Some(local), Some(peer))
            {
                return Some((length, present));
            }
        }
        None
    }

    pub(super) fn wants_to_send(&self) -> bool {
        self.responses.pending() || self.session.as_ref().is_some_and(|it| it.scheduler.next_datagram().is_some())
    }

    pub(super) fn hand_over(&mut self, now: Instant) {
        self.only_datagrams = false;
        let handed_over = self.responses.hand_over(&mut self.quic, now);
        for stream in &handed_over.sent {
            self.in_flight.end(*stream);
        }
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
        if self.is_held(now) {
            return Next::Nothing;
        }
        if let Some((length, to)) = self.packet_of_old_path(out) {
            self.count_sent(now, length);
            return Next::Packet { length, to };
        }
        let sent = if self.only_datagrams { Err(quiche::Error::Done) } else { self.quic.send(out) };
        let sent = match sent {
            // Nothing else may be sent now, neither stream data nor retransmissions: it is a datagram's turn.
            Err(quiche::Error::Done) => {
                self.only_datagrams = true;
                self.send_datagram(out, now)
            }
            Err(error) => {
                self.close(http3::H3_NO_ERROR, &error.to_string());
                None
            }
            Ok((length, info)) => Some((length, info.to)),
        };
        match sent {
            None => {
                if !self.wants_to_send() {
                    self.burst = BURST_PACKETS;
                }
                Next::Nothing
            }
            Some((length, to)) => {
                self.burst = self.burst.saturating_sub(1);
                self.count_sent(now, length);
                Next::Packet { length, to }
            }
        }
    }

    pub(super) fn release_time(&mut self, now: Instant) -> Option<Instant> {
        if self.quic.gcongestion_enabled() != Some(true) {
            return self.pacer.release(now);
        }
        if self.burst > 0 {
            return None;
        }
        let decision = self.quic.get_next_release_time()?;
        let time = decision.time(now).filter(|_| !decision.can_burst())?;
        // quiche paces from a packet's scheduled time or, if that is later, from its departure: late packets slow it
        // down.
        let ahead = self.quic.max_release_into_future();
        (time > now + ahead).then_some(now + (time - now).saturating_sub(ahead / 2))
    }

    /// Queues a datagram in QUIC for one `send`, and takes it back if the congestion window did not allow it.
    pub(super) fn send_datagram(&mut self, out: &mut [u8], now: Instant) -> Option<(usize, SocketAddr)> {
        let (id, datagram) = self.session.as_ref()?.scheduler.next_datagram()?;
        self.quic.dgram_send_buf(datagram.bytes).ok()?;
        let sent = self.quic.send(out);
        if self.quic.dgram_send_queue_len() > 0 {
            self.quic.dgram_purge_outgoing(|_| true);
        } else if let Some(flow) = self.session.as_mut().and_then(|session| session.scheduler.get_mut(id)) {
            flow.commit(datagram.payload, self.has_room);
            if flow.finished() {
                if let Some(stream) = self.responses.stream_of_flow(id.number) {
                    self.end_flow(stream);
                } else if let Some(stream) = self.responses.stream_following(id.number) {
                    self.advance(stream);
                }
                self.hand_over(now);
            }
        }
        sent.ok().map(|(length, info)| (length, info.to))
    }
}
