//! Packets that come to another worker's socket than that of their connection.

use std::net::SocketAddr;
use std::sync::Arc;

use quiche::Header;
use tokio::sync::{Mutex, mpsc};

use super::{Command, Endpoint, Owners};

/// Packets of other workers that are taken before the socket's own have their turn.
const STRAYS: usize = 64;

/// A packet that has come to another worker's socket than that of its connection, because its client's address has changed.
pub struct Stray {
    pub packet: Vec<u8>,
    pub from: SocketAddr,
    pub to: SocketAddr,
}

/// What comes to a worker other than by its socket.
pub struct Inbox {
    pub commands: mpsc::Receiver<Command>,
    pub strays: mpsc::Receiver<Stray>,
}

/// One of the workers that share a port, and how it reaches the others.
pub struct Worker {
    pub number: usize,
    pub owners: Owners,
    pub inbox: Arc<Mutex<Inbox>>,
    /// Where each worker takes strays from.
    pub all: Arc<[mpsc::Sender<Stray>]>,
}

impl Endpoint {
    /// Takes in the first packet of other workers and some of those that wait behind it.
    pub(super) fn take_in(&mut self, first: Stray, strays: &mut mpsc::Receiver<Stray>) {
        let waiting = std::iter::from_fn(|| strays.try_recv().ok()).take(STRAYS);
        let mut all: Vec<_> = std::iter::once(first).chain(waiting).collect();
        self.receive_packets(all.iter_mut().map(|stray| (&mut stray.packet[..], stray.from, stray.to)));
    }

    /// The other worker to whose connection a packet belongs, if it does. What opens a connection belongs to the worker whose
    /// socket it came to: its client has chosen the ID.
    pub(super) fn worker_of(&self, header: &Header) -> Option<usize> {
        let has_our_id = matches!(header.ty, quiche::Type::Short | quiche::Type::Handshake);
        has_our_id.then(|| self.ids.other_worker(&header.dcid)).flatten()
    }

    /// Gives a packet to another worker. What it has no room for is lost, which QUIC repairs.
    pub(super) fn hand_over(&self, worker: usize, stray: Stray) {
        if self.workers[worker].try_send(stray).is_ok() {
            self.shared.site.metrics.add("voxel_stray_packets_total", 1);
        }
    }
}
