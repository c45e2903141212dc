//! Packets on their way to the system.

use std::net::{IpAddr, SocketAddr};

use quinn_udp::Transmit;

use super::socket::Socket;
use crate::quic::PACKET_BYTES;

/// Packets of one size to one address, of which only the last may be shorter: what the system sends in one call.
#[derive(Debug)]
pub struct Batch {
    buffer: Vec<u8>,
    /// Bytes of all packets in `buffer`.
    length: usize,
    packets: usize,
    /// Bytes of every packet but the last.
    segment: usize,
    to: Option<SocketAddr>,
    from: Option<IpAddr>,
}

impl Batch {
    /// A batch with room for this number of full packets.
    pub fn new(packets: usize) -> Self {
        let buffer = vec![0; packets * PACKET_BYTES];
        Self { buffer, length: 0, packets: 0, segment: 0, to: None, from: None }
    }

    /// The place to which the next packet is to be written.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.buffer[self.length..]
    }

    /// Adds the packet that was written to [`Batch::room`]; sends what cannot go together with it or with any other.
    pub async fn add(&mut self, length: usize, to: SocketAddr, from: Option<IpAddr>, socket: &Socket) {
        if self.packets > 0 && (length > self.segment || self.to != Some(to)) {
            let start = self.length;
            self.flush(socket).await;
            self.buffer.copy_within(start..start + length, 0);
        }
        if self.packets == 0 {
            (self.segment, self.to, self.from) = (length, Some(to), from);
        }
        self.length += length;
        self.packets += 1;
        if length < self.segment || self.packets >= socket.max_segments() {
            self.flush(socket).await;
        }
    }

    /// Sends all packets.
    pub async fn flush(&mut self, socket: &Socket) {
        if let Some(destination) = self.to.take() {
            let transmit = Transmit {
                destination,
                ecn: None,
                contents: &self.buffer[..self.length],
                segment_size: (self.packets > 1).then_some(self.segment),
                src_ip: self.from,
            };
            socket.send(&transmit).await;
        }
        (self.length, self.packets) = (0, 0);
    }
}
