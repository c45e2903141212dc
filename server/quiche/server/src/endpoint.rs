//! The loop over all QUIC connections: packets in, packets out, timers, finished jobs.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use quiche::{ConnectionId, Header, RecvInfo};
use quinn_udp::{BATCH_SIZE, RecvMeta, Transmit, UdpSocketState};
use serde_json::Value;
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tokio::sync::{mpsc, oneshot};

use crate::connection::{Connection, Next, Shared};
use crate::http3::H3_NO_ERROR;
use crate::jobs::Completion;
use crate::log;
use crate::quic::PACKET_BYTES;

/// Of the connection IDs that this server chooses.
const CONNECTION_ID_BYTES: usize = 16;

/// A connection sends so many packets before it is the next one's turn: what one system call takes.
const TURN_PACKETS: usize = 40;

/// A datagram of any size, and as many of a usual size as the system hands over together.
const RECEIVE_BYTES: usize = 64 * 1024;

/// For idle sessions and handshakes that never end.
const HOUSEKEEPING: Duration = Duration::from_secs(5);

/// What the rest of the server asks of the loop.
#[derive(Debug)]
pub enum Command {
    /// New connections get this configuration.
    Configure(Box<Configuration>),
    /// Whether a request is in flight.
    Busy(oneshot::Sender<bool>),
    /// Ends all connections, then the loop.
    Close,
}

/// quiche's, which has no `Debug`.
pub struct Configuration(pub quiche::Config);

impl std::fmt::Debug for Configuration {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Configuration")
    }
}

/// What the loop is made from.
pub struct Parts {
    pub socket: std::net::UdpSocket,
    pub config: quiche::Config,
    pub shared: Shared,
    /// A folder for a qlog file per connection.
    pub qlog: Option<PathBuf>,
    pub completions: mpsc::UnboundedReceiver<Completion>,
    pub commands: mpsc::Receiver<Command>,
}

pub struct Endpoint {
    socket: UdpSocket,
    udp: UdpSocketState,
    address: SocketAddr,
    config: quiche::Config,
    shared: Shared,
    qlog: Option<PathBuf>,
    completions: mpsc::UnboundedReceiver<Completion>,
    commands: mpsc::Receiver<Command>,
    connections: HashMap<u64, Entry>,
    routes: HashMap<ConnectionId<'static>, u64>,
    next_key: u64,
    timers: BTreeSet<(Instant, u64)>,
    /// Connections to which something has happened.
    ready: VecDeque<u64>,
    /// Packets of one connection on their way to the system.
    packets: Vec<u8>,
}

struct Entry {
    connection: Connection,
    ids: Vec<ConnectionId<'static>>,
    timer: Option<Instant>,
    ready: bool,
}

impl Endpoint {
    pub fn new(parts: Parts) -> io::Result<Self> {
        let Parts { socket, config, shared, qlog, completions, commands } = parts;
        let udp = UdpSocketState::new((&socket).into())?;
        let address = socket.local_addr()?;
        Ok(Self {
            socket: UdpSocket::from_std(socket)?,
            udp,
            address,
            config,
            shared,
            qlog,
            completions,
            commands,
            connections: HashMap::new(),
            routes: HashMap::new(),
            next_key: 0,
            timers: BTreeSet::new(),
            ready: VecDeque::new(),
            packets: vec![0; TURN_PACKETS * PACKET_BYTES],
        })
    }

    /// Serves until [`Command::Close`].
    pub async fn run(mut self) {
        let mut buffers = vec![0; BATCH_SIZE * RECEIVE_BYTES];
        let mut housekeeping = tokio::time::interval(HOUSEKEEPING);
        loop {
            let timer = self.timers.first().map(|(time, _)| *time);
            let rest = !self.ready.is_empty();
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(Command::Configure(configuration)) => self.config = configuration.0,
                    Some(Command::Busy(answer)) => {
                        let _ = answer.send(self.connections.values().any(|entry| entry.connection.busy()));
                    }
                    Some(Command::Close) | None => return self.close().await,
                },
                _ = housekeeping.tick() => self.keep_house(Instant::now()),
                result = self.socket.readable() => if result.is_ok() { self.receive(&mut buffers) },
                Some(completion) = self.completions.recv() => self.complete(completion),
                () = sleep_until(timer) => {}
                () = std::future::ready(()), if rest => {}
            }
            while let Ok(completion) = self.completions.try_recv() {
                self.complete(completion);
            }
            self.expire(Instant::now());
            for _ in 0..self.ready.len() {
                if let Some(key) = self.ready.pop_front() {
                    self.serve(key).await;
                }
            }
        }
    }

    fn make_ready(&mut self, key: u64) {
        if let Some(entry) = self.connections.get_mut(&key)
            && !entry.ready
        {
            entry.ready = true;
            self.ready.push_back(key);
        }
    }

    fn complete(&mut self, completion: Completion) {
        if let Some(entry) = self.connections.get_mut(&completion.connection) {
            entry.connection.completed(completion.stream, completion.outcome);
            self.make_ready(completion.connection);
        }
    }

    fn expire(&mut self, now: Instant) {
        while let Some((time, key)) = self.timers.first().copied()
            && time <= now
        {
            self.timers.pop_first();
            if let Some(entry) = self.connections.get_mut(&key) {
                entry.timer = None;
                entry.connection.expire(now);
                self.make_ready(key);
            }
        }
    }

    fn keep_house(&mut self, now: Instant) {
        let handshake = self.shared.site.limits.head_timeout;
        let mut changed = Vec::new();
        for (key, Entry { connection, .. }) in &mut self.connections {
            if connection.session_is_idle(now) {
                connection.close_session("idle");
                changed.push(*key);
            } else if !connection.quic.is_established() && now.duration_since(connection.opened) > handshake {
                connection.close(H3_NO_ERROR, "the handshake takes too long");
                changed.push(*key);
            }
        }
        for key in changed {
            self.make_ready(key);
        }
    }

    // --- packets in

    fn receive(&mut self, buffers: &mut [u8]) {
        let mut metas = [RecvMeta::default(); BATCH_SIZE];
        let count = {
            let mut slices: Vec<_> = buffers.chunks_mut(RECEIVE_BYTES).map(IoSliceMut::new).collect();
            let receive = || self.udp.recv((&self.socket).into(), &mut slices, &mut metas);
            match self.socket.try_io(Interest::READABLE, receive) {
                Ok(count) => count,
                Err(error) => {
                    if error.kind() != io::ErrorKind::WouldBlock {
                        log::warning("receive failed", &[("error", Value::from(error.to_string()))]);
                    }
                    return;
                }
            }
        };
        let now = Instant::now();
        let mut touched = Vec::new();
        for (meta, buffer) in metas[..count].iter().zip(buffers.chunks_mut(RECEIVE_BYTES)) {
            for packet in buffer[..meta.len].chunks_mut(meta.stride.max(1)) {
                if let Some(key) = self.receive_packet(packet, meta, now)
                    && !touched.contains(&key)
                {
                    touched.push(key);
                }
            }
        }
        for key in touched {
            if let Some(entry) = self.connections.get_mut(&key) {
                entry.connection.received(now);
                self.make_ready(key);
            }
        }
    }

    /// Gives a packet to its connection, or opens one. What is no QUIC packet is ignored.
    fn receive_packet(&mut self, packet: &mut [u8], meta: &RecvMeta, now: Instant) -> Option<u64> {
        let header = Header::from_slice(packet, CONNECTION_ID_BYTES).ok()?;
        let local = SocketAddr::new(meta.dst_ip.unwrap_or(self.address.ip()), self.address.port());
        let key = match self.routes.get(&header.dcid) {
            Some(key) => *key,
            None => self.open(&header, local, meta.addr, now)?,
        };
        let entry = self.connections.get_mut(&key)?;
        entry.connection.local_ip = self.address.ip().is_unspecified().then_some(local.ip());
        // An error has closed the connection already, or the packet was none of its.
        let _ = entry.connection.quic.recv(packet, RecvInfo { from: meta.addr, to: local });
        Some(key)
    }

    fn open(&mut self, header: &Header, local: SocketAddr, peer: SocketAddr, now: Instant) -> Option<u64> {
        if header.ty != quiche::Type::Initial {
            return None;
        }
        if !quiche::version_is_supported(header.version) {
            let mut reply = [0; PACKET_BYTES];
            let length = quiche::negotiate_version(&header.scid, &header.dcid, &mut reply).ok()?;
            // The client asks again if this is lost.
            let _ = self.socket.try_send_to(&reply[..length], peer);
            return None;
        }
        if self.connections.len() >= self.shared.site.limits.connections {
            return None;
        }
        let id = random_id()?;
        let mut quic = quiche::accept(&id, None, local, peer, &mut self.config).ok()?;
        if let Some(folder) = &self.qlog {
            let path = folder.join(format!("{}.sqlog", quic.trace_id()));
            match std::fs::File::create(&path) {
                Ok(file) => quic.set_qlog(Box::new(io::BufWriter::new(file)), "voxel-quiche".into(), String::new()),
                Err(error) => log::warning("no qlog", &[("error", Value::from(error.to_string()))]),
            }
        }
        let key = self.next_key;
        self.next_key += 1;
        // Until the client has heard of the server's, it uses one of its own.
        let ids = vec![id, header.dcid.clone().into_owned()];
        self.routes.extend(ids.iter().map(|id| (id.clone(), key)));
        let connection = Connection::new(key, quic, self.shared.clone(), now);
        self.connections.insert(key, Entry { connection, ids, timer: None, ready: false });
        Some(key)
    }

    // --- packets out

    /// Sends what a connection has to send, then sees to its timer or its end.
    async fn serve(&mut self, key: u64) {
        let Some(entry) = self.connections.get_mut(&key) else { return };
        entry.ready = false;
        let now = Instant::now();
        entry.connection.prepare(now);
        let (mut paced, mut more) = (None, true);
        let mut batch = Batch::default();
        for _ in 0..TURN_PACKETS {
            let Some(entry) = self.connections.get_mut(&key) else { return };
            let next = entry.connection.next_packet(&mut self.packets[batch.length..], now);
            match next {
                Next::Packet { length, to } => {
                    if !batch.takes(length, to) {
                        let start = batch.length;
                        send(&self.socket, &self.udp, &self.packets, &batch).await;
                        self.packets.copy_within(start..start + length, 0);
                        batch = Batch::default();
                    }
                    batch.add(length, to, entry.connection.local_ip);
                    if batch.closed() || batch.packets >= self.udp.max_gso_segments() {
                        send(&self.socket, &self.udp, &self.packets, &batch).await;
                        batch = Batch::default();
                    }
                }
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
        send(&self.socket, &self.udp, &self.packets, &batch).await;
        let Some(entry) = self.connections.get_mut(&key) else { return };
        if entry.connection.quic.is_closed() {
            return self.forget(key);
        }
        if more {
            self.make_ready(key);
        }
        self.update_ids(key);
        self.set_timer(key, paced);
    }

    /// Gives the client connection IDs for when its address changes, and forgets those that it has used up.
    fn update_ids(&mut self, key: u64) {
        let Some(Entry { connection, ids, .. }) = self.connections.get_mut(&key) else { return };
        while connection.quic.is_established() && connection.quic.scids_left() > 0 {
            let (Some(id), Some(token)) = (random_id(), random_bytes::<16>()) else { return };
            if connection.quic.new_scid(&id, u128::from_be_bytes(token), false).is_err() {
                break;
            }
            self.routes.insert(id.clone(), key);
            ids.push(id);
        }
        while let Some(retired) = connection.quic.retired_scid_next() {
            self.routes.remove(&retired);
            ids.retain(|id| *id != retired);
        }
    }

    fn set_timer(&mut self, key: u64, paced: Option<Instant>) {
        let Some(entry) = self.connections.get_mut(&key) else { return };
        let timer = [entry.connection.next_timeout(), paced].into_iter().flatten().min();
        if timer != entry.timer {
            if let Some(old) = entry.timer {
                self.timers.remove(&(old, key));
            }
            self.timers.extend(timer.map(|time| (time, key)));
            entry.timer = timer;
        }
    }

    fn forget(&mut self, key: u64) {
        let Some(Entry { connection, ids, timer, .. }) = self.connections.remove(&key) else { return };
        for id in ids {
            self.routes.remove(&id);
        }
        if let Some(time) = timer {
            self.timers.remove(&(time, key));
        }
        connection.closed();
    }

    async fn close(&mut self) {
        let keys: Vec<_> = self.connections.keys().copied().collect();
        for key in keys {
            if let Some(entry) = self.connections.get_mut(&key) {
                entry.connection.close(H3_NO_ERROR, "the server is stopping");
            }
            self.serve(key).await;
        }
    }
}

/// Packets of one size to one address, of which only the last may be shorter: what the system sends in one go.
#[derive(Debug, Default)]
struct Batch {
    length: usize,
    packets: usize,
    segment: usize,
    last: usize,
    to: Option<SocketAddr>,
    from: Option<IpAddr>,
}

impl Batch {
    fn takes(&self, length: usize, to: SocketAddr) -> bool {
        self.packets == 0 || (length <= self.segment && self.to == Some(to))
    }

    fn add(&mut self, length: usize, to: SocketAddr, from: Option<IpAddr>) {
        if self.packets == 0 {
            (self.segment, self.to, self.from) = (length, Some(to), from);
        }
        self.length += length;
        self.packets += 1;
        self.last = length;
    }

    /// Whether nothing may follow.
    fn closed(&self) -> bool {
        self.last < self.segment
    }
}

async fn send(socket: &UdpSocket, udp: &UdpSocketState, packets: &[u8], batch: &Batch) {
    let Some(destination) = batch.to else { return };
    let transmit = Transmit {
        destination,
        ecn: None,
        contents: &packets[..batch.length],
        segment_size: (batch.packets > 1).then_some(batch.segment),
        src_ip: batch.from,
    };
    loop {
        match socket.try_io(Interest::WRITABLE, || udp.try_send(socket.into(), &transmit)) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if socket.writable().await.is_err() {
                    return;
                }
            }
            // Lost packets are QUIC's business, and so are those that the system refused.
            _ => return,
        }
    }
}

async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}

fn random_id() -> Option<ConnectionId<'static>> {
    random_bytes::<CONNECTION_ID_BYTES>().map(|bytes| ConnectionId::from_vec(bytes.to_vec()))
}

/// `None` when the system has no randomness to give.
fn random_bytes<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    boring::rand::rand_bytes(&mut bytes).ok().map(|()| bytes)
}
