//! The link emulator's pure half: what a link does to packets, as a function of their arrival times.
//!
//! No clock, no device and no thread in here: time is a [`std::time::Duration`] since the link's first packet and comes
//! in with every call. The program (`main.rs`) drives the same code from a real clock and real packets.

#![forbid(unsafe_code)]

pub mod config;
pub mod direction;
pub mod error;
pub mod ip;
pub mod packet;
pub mod queue;
pub mod random;
mod text_file;
pub mod trace;
pub mod transmitter;

#[cfg(test)]
mod testing;
