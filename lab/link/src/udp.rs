//! The back end for UDP: a relay on one port, for any user on any system.

use crate::{
    cli::UdpOptions,
    emulation::{Deliver, Emulation, Inlet, Route},
    event::{self, Event},
    log::Summary,
    report,
    sys::schedule,
};
use linkemu::{
    config::{Link, LinkPath},
    error::{Context, Error, Result},
    packet::Packet,
};
use std::{
    io::{self, ErrorKind},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    sync::{Arc, PoisonError, RwLock, mpsc::Sender},
};

/// IPv4 and UDP headers, which a packet also has on the link.
const HEADER_BYTES: usize = 20 + 8;

const MAX_DATAGRAM_BYTES: usize = 65_535;

/// Each client takes a socket and a thread. More clients than any trial has are a mistake.
const MAX_CLIENTS: usize = 64;

/// Relays until a signal ends it.
pub fn run(link: Link, options: &UdpOptions) -> Result<Summary> {
    let [path] = <[LinkPath; 1]>::try_from(link.paths).map_err(|paths| {
        let count = paths.len();
        Error::Input(format!("linkemu udp needs a link with one path, got {count} paths: use linkemu run"))
    })?;
    let (sender, events) = event::channel()?;
    let listen = UdpSocket::bind(options.listen).context(format!("cannot listen on {}", options.listen))?;
    let address = listen.local_addr().context("cannot read the address")?;
    let relay = Arc::new(Relay { listen, server: options.to, clients: RwLock::default() });
    let (emulation, inlets) = Emulation::start(relay.routes(path), options.log.as_deref())?;
    let [up, down] = <[Inlet; 2]>::try_from(inlets).ok().expect("an inlet for each route");
    let failed = sender.clone();
    event::spawn(&sender, move || relay.read_clients(&up, &down, &failed));
    report::say(&format!("relaying {address} to {}", options.to));
    match events.recv() {
        Ok(Event::Failed(error)) => Err(error),
        Ok(Event::Signal(_)) | Err(_) => emulation.stop(),
    }
}

/// The port for clients, and a socket towards the server for each of them. A packet's `flow` is its client's place.
struct Relay {
    listen: UdpSocket,
    server: SocketAddr,
    clients: RwLock<Vec<Client>>,
}

#[derive(Clone)]
struct Client {
    address: SocketAddr,
    upstream: Arc<UdpSocket>,
}

impl Relay {
    /// Up and down.
    fn routes(self: &Arc<Self>, path: LinkPath) -> Vec<Route> {
        let (to_server, to_client) = (Arc::clone(self), Arc::clone(self));
        let up: Deliver = Box::new(move |packet| {
            let client = to_server.client_of(packet);
            client.upstream.send(&packet.data).map(drop)
        });
        let down: Deliver = Box::new(move |packet| {
            let client = to_client.client_of(packet);
            to_client.listen.send_to(&packet.data, client.address).map(drop)
        });
        vec![
            Route { name: format!("{}-up", path.name), direction: path.up, deliver: up },
            Route { name: format!("{}-down", path.name), direction: path.down, deliver: down },
        ]
    }

    fn client_of(&self, packet: &Packet) -> Client {
        self.clients.read().unwrap_or_else(PoisonError::into_inner)[packet.flow as usize].clone()
    }

    fn read_clients(self: &Arc<Self>, up: &Inlet, down: &Inlet, events: &Sender<Event>) -> Result<()> {
        schedule::request_realtime();
        let mut buffer = vec![0; MAX_DATAGRAM_BYTES];
        loop {
            let (length, address) = self.listen.recv_from(&mut buffer).context("cannot receive from clients")?;
            let Some(flow) = self.flow_of(address, down, events)? else { continue };
            if !up.push(buffer[..length].to_vec(), length + HEADER_BYTES, flow) {
                return Ok(());
            }
        }
    }

    /// The index of a client, which may be new; `None` if there are too many clients.
    fn flow_of(self: &Arc<Self>, address: SocketAddr, down: &Inlet, events: &Sender<Event>) -> Result<Option<u32>> {
        let mut clients = self.clients.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = clients.iter().position(|client| client.address == address) {
            return Ok(Some(place as u32));
        }
        if clients.len() == MAX_CLIENTS {
            return Ok(None);
        }
        let upstream = Arc::new(connect(self.server).context(format!("cannot reach {}", self.server))?);
        let flow = clients.len() as u32;
        clients.push(Client { address, upstream: Arc::clone(&upstream) });
        if clients.len() == MAX_CLIENTS {
            report::say(&format!("{MAX_CLIENTS} clients, the maximum: packets of further clients are dropped"));
        }
        let down = down.clone();
        event::spawn(events, move || read_server(&upstream, flow, &down));
        Ok(Some(flow))
    }
}

fn connect(server: SocketAddr) -> io::Result<UdpSocket> {
    let any = if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind(SocketAddr::new(any, 0))?;
    socket.connect(server)?;
    Ok(socket)
}

fn read_server(upstream: &UdpSocket, flow: u32, down: &Inlet) -> Result<()> {
    schedule::request_realtime();
    let mut buffer = vec![0; MAX_DATAGRAM_BYTES];
    loop {
        let length = match upstream.recv(&mut buffer) {
            Ok(length) => length,
            // Nobody listened when an earlier packet came; the server may yet start.
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => continue,
            Err(error) => return Err(error).context("cannot receive from the server"),
        };
        if !down.push(buffer[..length].to_vec(), length + HEADER_BYTES, flow) {
            return Ok(());
        }
    }
}
