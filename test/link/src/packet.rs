use std::time::Duration;

/// Bytes of a full-sized IP packet: what a line of a Mahimahi file and a packet of the bandwidth-delay product stand for.
pub const FULL_PACKET_BYTES: usize = 1500;

/// A packet on its way through one direction of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// What the back end carries. The engine never looks inside.
    pub data: Vec<u8>,
    /// Bytes that the packet takes on the link, IP header included.
    pub wire_bytes: usize,
    /// Packets of one flow share this number; FQ-CoDel keeps flows apart by it.
    pub flow: u32,
    /// When the packet came to the link.
    pub arrived: Duration,
}
