use std::time::Duration;

/// Bytes of a full-sized IP packet: the unit of lines in Mahimahi files and of bandwidth-delay products.
pub const FULL_PACKET_BYTES: usize = 1500;

/// A packet on its way through one direction of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// Data of the back end, which the engine does not read.
    pub data: Vec<u8>,
    /// Bytes that the packet takes on the link, IP header included.
    pub wire_bytes: usize,
    /// The number of the packet's flow, for FQ-CoDel.
    pub flow: u32,
    /// When the packet arrived at the link.
    pub arrived: Duration,
}
