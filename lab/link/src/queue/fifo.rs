use super::{Backlog, Limit};
use crate::packet::Packet;
use std::collections::VecDeque;

/// Packets in order of arrival.
#[derive(Debug, Default)]
pub struct Fifo {
    packets: VecDeque<Packet>,
    bytes: usize,
}

impl Fifo {
    pub fn push(&mut self, packet: Packet) {
        self.bytes += packet.wire_bytes;
        self.packets.push_back(packet);
    }

    pub fn pop(&mut self) -> Option<Packet> {
        let packet = self.packets.pop_front()?;
        self.bytes -= packet.wire_bytes;
        Some(packet)
    }

    pub fn head(&self) -> Option<&Packet> {
        self.packets.front()
    }

    pub fn backlog(&self) -> Backlog {
        Backlog { packets: self.packets.len(), bytes: self.bytes }
    }

    /// Whether one more packet stays within the limit.
    pub fn has_room(&self, packet: &Packet, limit: Limit) -> bool {
        limit.allows(Backlog { packets: self.packets.len() + 1, bytes: self.bytes + packet.wire_bytes })
    }
}
