//! Queues in which packets wait for the transmitter, and their rules for dropping packets.

mod codel;
mod drop_tail;
mod fifo;
mod fq_codel;
mod pie;
#[cfg(test)]
mod responsive_load;

pub use codel::{Codel, CodelParameters};
pub use drop_tail::DropTail;
pub use fq_codel::FqCodel;
pub use pie::{Pie, PieParameters};

use crate::packet::Packet;
use std::time::Duration;

/// A queue discipline. Calls must be in the order of time.
pub trait Queue: Send {
    /// Adds a packet at its time of arrival, or drops it or another packet.
    fn enqueue(&mut self, packet: Packet);

    /// The packet to send now, if any is left.
    fn dequeue(&mut self, now: Duration) -> Option<Packet>;

    fn backlog(&self) -> Backlog;

    /// All drops since the start.
    fn drops(&self) -> Drops;
}

/// Waiting packets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    pub packets: usize,
    pub bytes: usize,
}

/// Packets dropped, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Drops {
    /// The queue was full.
    pub full: u64,
    /// Active queue management: the queue was too slow.
    pub managed: u64,
}

/// The most that may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Packets(usize),
    Bytes(usize),
}

impl Limit {
    fn allows(self, backlog: Backlog) -> bool {
        match self {
            Self::Packets(limit) => backlog.packets <= limit,
            Self::Bytes(limit) => backlog.bytes <= limit,
        }
    }
}
