//! The link emulator's pure half: what a link does to packets, as a function of their arrival times.
//!
//! Without clocks, devices and threads: time is a [`std::time::Duration`] since the link's first packet and a parameter
//! of every call. The program (`main.rs`) runs the same code with a real clock and real packets.

#![forbid(unsafe_code)]

pub mod config;
pub mod direction;
pub mod error;
pub mod ip;
pub mod loss;
pub mod packet;
pub mod queue;
pub mod random;
pub mod schedule;
mod text_file;
pub mod trace;
pub mod transmitter;

#[cfg(test)]
mod testing;
