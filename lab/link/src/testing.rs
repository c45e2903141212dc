//! What the unit tests share.

use crate::packet::{FULL_PACKET_BYTES, Packet};
use std::time::Duration;

pub fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A full-sized packet that carries `number` and arrives at `arrived`.
pub fn packet(number: u32, arrived: Duration) -> Packet {
    Packet { data: number.to_be_bytes().to_vec(), wire_bytes: FULL_PACKET_BYTES, flow: 0, arrived }
}

/// The number that [`packet`] gave it.
pub fn number_of(packet: &Packet) -> u32 {
    u32::from_be_bytes(packet.data[..4].try_into().expect("made by packet()"))
}
