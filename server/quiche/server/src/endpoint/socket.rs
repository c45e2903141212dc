//! The UDP socket, on which the system takes and hands over several packets at a time (GSO, GRO).

use std::io::{self, IoSliceMut};
use std::net::SocketAddr;

use quinn_udp::{BATCH_SIZE, RecvMeta, Transmit, UdpSocketState};
use tokio::io::Interest;
use tokio::net::UdpSocket;

/// A datagram of any size, or as many of a usual size as the system hands over together.
const RECEIVE_BYTES: usize = 64 * 1024;

pub struct Socket {
    udp: UdpSocket,
    state: UdpSocketState,
    address: SocketAddr,
}

impl Socket {
    pub fn new(socket: std::net::UdpSocket) -> io::Result<Self> {
        let state = UdpSocketState::new((&socket).into())?;
        let address = socket.local_addr()?;
        Ok(Self { udp: UdpSocket::from_std(socket)?, state, address })
    }

    /// The address that the socket is bound to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Packets of one size that the system sends in one call.
    pub fn max_segments(&self) -> usize {
        self.state.max_gso_segments()
    }

    pub async fn readable(&self) -> io::Result<()> {
        self.udp.readable().await
    }

    /// Replaces `arrivals` by the packets that have arrived, which may be none.
    pub fn receive(&self, arrivals: &mut Arrivals) -> io::Result<()> {
        let mut slices: Vec<_> = arrivals.bytes.chunks_mut(RECEIVE_BYTES).map(IoSliceMut::new).collect();
        let receive = || self.state.recv((&self.udp).into(), &mut slices, &mut arrivals.metas);
        arrivals.count = 0;
        match self.udp.try_io(Interest::READABLE, receive) {
            Ok(count) => arrivals.count = count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Waits until the system has taken the packets. Packets that it refuses are lost, which QUIC repairs.
    pub async fn send(&self, transmit: &Transmit<'_>) {
        while let Err(error) = self.udp.try_io(Interest::WRITABLE, || self.state.try_send((&self.udp).into(), transmit))
        {
            if error.kind() != io::ErrorKind::WouldBlock || self.udp.writable().await.is_err() {
                return;
            }
        }
    }

    /// Sends a packet to a client without a connection, which asks again if the packet is lost.
    pub fn reply(&self, packet: &[u8], to: SocketAddr) {
        let _ = self.udp.try_send_to(packet, to);
    }
}

/// Packets that have arrived together.
pub struct Arrivals {
    bytes: Vec<u8>,
    metas: [RecvMeta; BATCH_SIZE],
    count: usize,
}

impl Default for Arrivals {
    fn default() -> Self {
        Self { bytes: vec![0; BATCH_SIZE * RECEIVE_BYTES], metas: [RecvMeta::default(); BATCH_SIZE], count: 0 }
    }
}

impl Arrivals {
    /// Each packet with the client's address and the one that it was sent to. `bound`: the socket's address, whose port
    /// is the port of all packets.
    pub fn packets(&mut self, bound: SocketAddr) -> impl Iterator<Item = (&mut [u8], SocketAddr, SocketAddr)> {
        let buffers = self.bytes.chunks_mut(RECEIVE_BYTES);
        self.metas[..self.count].iter().zip(buffers).flat_map(move |(meta, buffer)| {
            let to = SocketAddr::new(meta.dst_ip.unwrap_or(bound.ip()), bound.port());
            buffer[..meta.len].chunks_mut(meta.stride.max(1)).map(move |packet| (packet, meta.addr, to))
        })
    }
}
