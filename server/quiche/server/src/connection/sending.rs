//! Packets of a connection: when they leave, and what is in them.

use std::net::SocketAddr;
use std::time::Instant;

use voxel_protocol::window::{Demand, Path};

use super::{Connection, Next};
use crate::http3;
use crate::quic::PACKET_BYTES;

impl Connection {
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

    pub(super) fn wants_to_send(&self) -> bool {
        self.responses.pending() || self.session.as_ref().is_some_and(|it| it.scheduler.next_datagram().is_some())
    }

    pub(super) fn hand_over(&mut self) {
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

    pub(super) fn release_time(&mut self, now: Instant) -> Option<Instant> {
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
    pub(super) fn send_datagram(&mut self, out: &mut [u8]) -> Option<(usize, SocketAddr)> {
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
