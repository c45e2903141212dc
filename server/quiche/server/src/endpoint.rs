//! A worker's loop over its QUIC connections: packets in, packets out, timers, finished jobs.

mod batch;
mod connection_ids;
mod connections;
mod opening;
mod owners;
mod refusal;
mod resets;
mod socket;
mod strays;
mod tokens;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quiche::{Header, RecvInfo};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc, oneshot, watch};

use crate::certificate::Certificate;
use crate::connection::{Connection, Next, Shared};
use crate::http3::H3_NO_ERROR;
use crate::jobs::Completion;
use crate::log;
use crate::quic::{self, CongestionControl};
use batch::Batch;
use connection_ids::ConnectionIds;
pub use connection_ids::{BLOCK_BYTES, MOST_CONFIGURATION, MOST_SERVER_ID_BYTES, ServerId};
use connections::Connections;
pub use owners::Owners;
pub use resets::ResetKey;
use resets::Resets;
use socket::{Arrivals, Socket};
pub use strays::{Inbox, Stray, Worker};
use tokens::Tokens;

/// Packets that a connection sends before it is the next one's turn: as many as one system call takes.
const TURN_PACKETS: usize = 40;

/// Interval at which idle sessions, stalled responses and what takes too long to begin are looked for.
const HOUSEKEEPING: Duration = Duration::from_secs(1);

/// Time until all clients have been told that the server stops. quiche tells nobody while the congestion window is full.
const FAREWELL: Duration = Duration::from_secs(1);

/// Least UDP payload of a client's first packets (RFC 9000 section 14.1).
const INITIAL_BYTES: usize = 1200;

/// Why a server that is told to stop ends sessions and connections; their code is `H3_NO_ERROR`.
const STOPPING: &str = "the server is stopping";

/// What the rest of the server asks of a loop.
pub enum Command {
    /// Answer whether a request is in flight.
    Busy(oneshot::Sender<bool>),
    /// Ask clients to send further requests elsewhere.
    GoAway,
    /// End all sessions.
    EndSessions,
    /// End all connections, then the loop.
    Close,
}

/// What the loop is made from.
pub struct Parts {
    pub socket: std::net::UdpSocket,
    pub worker: Worker,
    pub certificates: watch::Receiver<Arc<Certificate>>,
    pub congestion_control: CongestionControl,
    pub shared: Shared,
    pub reset_key: ResetKey,
    /// What a load balancer finds this server by.
    pub server_id: Option<ServerId>,
    /// A folder for a qlog file per connection.
    pub qlog: Option<PathBuf>,
    pub completions: mpsc::UnboundedReceiver<Completion>,
}

pub struct Endpoint {
    socket: Socket,
    config: quiche::Config,
    certificates: watch::Receiver<Arc<Certificate>>,
    congestion_control: CongestionControl,
    shared: Shared,
    qlog: Option<PathBuf>,
    completions: mpsc::UnboundedReceiver<Completion>,
    inbox: Arc<Mutex<Inbox>>,
    workers: Arc<[mpsc::Sender<Stray>]>,
    connections: Connections,
    ids: ConnectionIds,
    tokens: Tokens,
    resets: Resets,
    batch: Batch,
    /// When the loop ends at the latest, after [`Command::Close`].
    end: Option<Instant>,
}

impl Endpoint {
    pub fn new(parts: Parts) -> io::Result<Self> {
        let Parts { shared, reset_key, server_id, qlog, completions, .. } = parts;
        let Parts { mut certificates, congestion_control, worker, .. } = parts;
        let socket = Socket::new(parts.socket)?;
        let certificate = Arc::clone(&certificates.borrow_and_update());
        Ok(Self {
            resets: Resets::new(reset_key, server_id.as_ref(), socket.address().port()),
            ids: ConnectionIds::new(server_id, worker.number, worker.owners),
            socket,
            config: quic::config(&certificate, congestion_control).map_err(io::Error::other)?,
            certificates,
            congestion_control,
            shared,
            qlog,
            completions,
            inbox: worker.inbox,
            workers: worker.all,
            connections: Connections::default(),
            tokens: Tokens::new().ok_or_else(|| io::Error::other("no random bytes"))?,
            batch: Batch::new(TURN_PACKETS),
            end: None,
        })
    }

    /// Serves until [`Command::Close`].
    pub async fn run(mut self) {
        let mut arrivals = Arrivals::default();
        let mut housekeeping = tokio::time::interval(HOUSEKEEPING);
        let mut inbox = Arc::clone(&self.inbox).lock_owned().await;
        let Inbox { commands, strays } = &mut *inbox;
        loop {
            let timer = self.connections.next_timer();
            let rest = self.connections.any_ready();
            tokio::select! {
                biased;
                command = commands.recv(), if self.end.is_none() => match command {
                    Some(Command::Busy(answer)) => {
                        let _ = answer.send(self.connections.iter_mut().any(|(_, connection)| connection.busy()));
                    }
                    Some(Command::GoAway) => self.tell_all(Connection::go_away),
                    Some(Command::EndSessions) => self.tell_all(|it| it.close_session(H3_NO_ERROR as u32, STOPPING)),
                    Some(Command::Close) | None => {
                        self.end = Some(Instant::now() + FAREWELL);
                        self.tell_all(|it| it.close(H3_NO_ERROR, STOPPING));
                    }
                },
                _ = housekeeping.tick() => self.keep_house(Instant::now()),
                Ok(()) = self.certificates.changed() => self.configure(),
                result = self.socket.readable() => if result.is_ok() { self.receive(&mut arrivals) },
                Some(stray) = strays.recv() => self.take_in(stray, strays),
                Some(completion) = self.completions.recv() => self.complete(completion),
                () = sleep_until([timer, self.end].into_iter().flatten().min()) => {}
                () = std::future::ready(()), if rest => {}
            }
            while let Ok(completion) = self.completions.try_recv() {
                self.complete(completion);
            }
            self.expire(Instant::now());
            for key in self.connections.take_ready() {
                self.serve(key).await;
            }
            if self.end.is_some_and(|end| end <= Instant::now() || self.connections.all_closed()) {
                return;
            }
        }
    }

    /// Uses the certificate of now for new connections.
    fn configure(&mut self) {
        let certificate = Arc::clone(&self.certificates.borrow_and_update());
        match quic::config(&certificate, self.congestion_control) {
            Ok(config) => self.config = config,
            Err(error) => log::warning("certificate not used", &[("error", Value::from(error.to_string()))]),
        }
    }

    fn tell_all(&mut self, tell: impl Fn(&mut Connection)) {
        for key in self.connections.keys() {
            if let Some(connection) = self.connections.get_mut(key) {
                tell(connection);
            }
            self.connections.make_ready(key);
        }
    }

    fn complete(&mut self, completion: Completion) {
        if let Some(connection) = self.connections.get_mut(completion.connection) {
            connection.completed(completion.stream, completion.outcome);
            self.connections.make_ready(completion.connection);
        }
    }

    fn expire(&mut self, now: Instant) {
        while let Some(key) = self.connections.take_expired(now) {
            if let Some(connection) = self.connections.get_mut(key) {
                connection.expire(now);
            }
            self.connections.make_ready(key);
        }
    }

    fn keep_house(&mut self, now: Instant) {
        let handshake = self.shared.site.limits.head_timeout;
        let mut changed = Vec::new();
        for (key, connection) in self.connections.iter_mut() {
            if connection.session_is_idle(now) {
                connection.close_session(0, "idle");
                changed.push(key);
            } else if !connection.quic.is_established() && now.duration_since(connection.opened) > handshake {
                connection.close(H3_NO_ERROR, "the handshake takes too long");
                changed.push(key);
            } else if connection.reset_stalled(now) {
                changed.push(key);
            }
        }
        for key in changed {
            self.connections.make_ready(key);
        }
    }

    fn receive(&mut self, arrivals: &mut Arrivals) {
        if let Err(error) = self.socket.receive(arrivals) {
            log::warning("receive failed", &[("error", Value::from(error.to_string()))]);
            return;
        }
        self.receive_packets(arrivals.packets(self.socket.address()));
    }

    fn receive_packets<'a>(&mut self, packets: impl Iterator<Item = (&'a mut [u8], SocketAddr, SocketAddr)>) {
        let now = Instant::now();
        let mut touched = Vec::new();
        for (packet, from, to) in packets {
            if let Some(key) = self.receive_packet(packet, from, to, now)
                && !touched.contains(&key)
            {
                touched.push(key);
            }
        }
        for key in touched {
            if let Some(connection) = self.connections.get_mut(key) {
                connection.received(now);
                self.connections.make_ready(key);
            }
        }
    }

    /// Gives a packet to its connection, or opens one. What is not a QUIC packet is ignored.
    fn receive_packet(&mut self, packet: &mut [u8], from: SocketAddr, to: SocketAddr, now: Instant) -> Option<u64> {
        let header = Header::from_slice(packet, self.ids.length()).ok()?;
        let known = self.connections.key_of(&header.dcid);
        if known.is_none()
            && let Some(worker) = self.worker_of(&header)
        {
            self.hand_over(worker, Stray { packet: packet.to_vec(), from, to });
            return None;
        }
        let key = match known {
            Some(key) => key,
            None if header.ty == quiche::Type::Short => {
                if self.ids.may_have_issued(&header.dcid)
                    && let Some(reset) = self.resets.answer(&header.dcid, packet.len(), now)
                {
                    self.socket.reply(&reset, from);
                }
                return None;
            }
            None if packet.len() < INITIAL_BYTES || self.end.is_some() => return None,
            None => self.open(&header, to, from, now)?,
        };
        let connection = self.connections.get_mut(key)?;
        connection.local_ip = self.socket.address().ip().is_unspecified().then_some(to.ip());
        // An error has closed the connection already, or the packet did not belong to it.
        let _ = connection.quic.recv(packet, RecvInfo { from, to });
        connection.acknowledged();
        if known.is_none() && connection.quic.stats().recv == 0 {
            // Nobody could read it: it was no handshake.
            self.connections.remove(key)?.closed();
            return None;
        }
        Some(key)
    }

    /// Sends what a connection has to send, then sets its timer, or forgets it if it is closed.
    async fn serve(&mut self, key: u64) {
        let Some(connection) = self.connections.get_mut(key) else { return };
        let now = Instant::now();
        connection.prepare(now);
        let (mut paced, mut more) = (None, true);
        for _ in 0..TURN_PACKETS {
            match connection.next_packet(self.batch.room(), now) {
                Next::Packet { length, to } => self.batch.add(length, to, connection.local_ip, &self.socket).await,
                Next::Paced(time) => {
                    (paced, more) = (Some(time), false);
                    break;
                }
                Next::Nothing => {
                    more = false;
                    break;
                }
            }
        }
        self.batch.flush(&self.socket).await;
        if connection.quic.is_closed() {
            if let Some(connection) = self.connections.remove(key) {
                connection.closed();
            }
            return;
        }
        let timer = [connection.next_timeout(), paced].into_iter().flatten().min();
        if more {
            self.connections.make_ready(key);
        }
        self.connections.update_ids(key, || self.ids.make().and_then(|id| Some((self.resets.token(&id)?, id))));
        self.connections.set_timer(key, timer);
    }
}

async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}
