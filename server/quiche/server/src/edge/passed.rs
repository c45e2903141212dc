//! A small file that must not be stored, in memory until it is read.

use std::collections::VecDeque;
use std::io;

use bytes::Bytes;
use voxel_protocol::site::Piece;

use super::clients::Held;
use crate::body::{Content, Later, Part};

#[derive(Debug)]
pub struct Passed {
    bytes: Bytes,
    _memory: Held,
}

impl Passed {
    /// `memory`: for as many bytes, of the client that reads them.
    pub fn new(bytes: Bytes, memory: Held) -> Self {
        Self { bytes, _memory: memory }
    }
}

impl Content for Passed {
    fn read_now(&mut self, part: Part) -> bool {
        self.bytes.read_now(part)
    }

    fn read<'a>(&'a mut self, parts: Vec<Part<'a>>, next: &'a VecDeque<Piece>) -> Later<'a, io::Result<()>> {
        self.bytes.read(parts, next)
    }
}
