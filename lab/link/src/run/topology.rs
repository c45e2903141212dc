use crate::{
    emulation::{Emulation, Inlet, Route},
    event::{self, Event},
    sys::{namespace::Network, schedule, tun},
};
use linkemu::{
    config::Link,
    direction::Direction,
    error::{Context, Result},
    ip,
};
use std::{
    fs::File,
    io::{self, Read, Write},
    net::Ipv4Addr,
    path::Path,
    sync::{Arc, mpsc::Sender},
};

/// The largest packet that IP has.
const MAX_PACKET_BYTES: usize = 65_535;

/// The server's and the client's network and the link between them.
pub struct Topology {
    pub server: Network,
    pub client: Network,
    pub emulation: Emulation,
}

impl Topology {
    /// Path 0 connects 10.77.0.1, the server, with 10.77.0.2, the client; path 1 10.77.1.1 with 10.77.1.2, and so on.
    pub fn create(link: Link, log_folder: Option<&Path>, events: &Sender<Event>) -> Result<Self> {
        let server = create_network()?;
        let client = create_network()?;
        let (mut routes, mut sources) = (Vec::new(), Vec::new());
        for (index, path) in (0..).zip(link.paths) {
            let device = format!("link{index}");
            let [server_address, client_address] = [1, 2].map(|host| Ipv4Addr::new(10, 77, index, host));
            let server_device = create_device(&server, &device, server_address, client_address)?;
            let client_device = create_device(&client, &device, client_address, server_address)?;
            routes.push(route_to(&client_device, format!("{}-down", path.name), path.down));
            routes.push(route_to(&server_device, format!("{}-up", path.name), path.up));
            sources.extend([server_device, client_device]);
        }
        let (emulation, inlets) = Emulation::start(routes, log_folder)?;
        for (source, inlet) in sources.into_iter().zip(inlets) {
            event::spawn(events, move || read_packets(&source, &inlet).context("cannot read from a TUN device"));
        }
        Ok(Self { server, client, emulation })
    }
}

fn create_network() -> Result<Network> {
    let network = Network::create().context("cannot create a network")?;
    network.within(tun::take_up_loopback).context("cannot bring up a loopback device")?;
    Ok(network)
}

fn create_device(network: &Network, name: &str, address: Ipv4Addr, peer: Ipv4Addr) -> Result<Arc<File>> {
    let access = format!("cannot open {} for reading and writing", tun::CLONE_DEVICE);
    let device = network.within(tun::open).context(access)?;
    let create = || {
        tun::create(&device, name)?;
        tun::configure(name, address, peer)
    };
    network.within(create).context("cannot create a TUN device")?;
    Ok(Arc::new(device))
}

fn route_to(device: &Arc<File>, name: String, direction: Direction) -> Route {
    let device = Arc::clone(device);
    Route { name, direction, deliver: Box::new(move |packet| (&*device).write_all(&packet.data)) }
}

fn read_packets(mut device: &File, inlet: &Inlet) -> io::Result<()> {
    schedule::request_realtime();
    let mut buffer = vec![0; MAX_PACKET_BYTES];
    loop {
        let length = device.read(&mut buffer)?;
        let packet = &buffer[..length];
        if ip::is_ipv4(packet) && !inlet.push(packet.to_vec(), length, ip::flow_of(packet)) {
            return Ok(());
        }
    }
}
