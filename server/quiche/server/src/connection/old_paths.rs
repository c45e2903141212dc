//! Paths that the client has left while packets were in flight on them.
//!
//! quiche 0.30 finds a path's lost packets when a packet of this path is acknowledged. On a path that the client has left
//! none ever is, and what was in flight there is missing for ever (quiche's issue 2452). So one more packet of each old
//! path goes to where the client is now. With its acknowledgement all packets before it are lost, and what they carried
//! is sent again.

use std::collections::HashMap;
use std::net::SocketAddr;

use quiche::PathStats;

/// The server's and the client's address.
pub type Path = (SocketAddr, SocketAddr);

#[derive(Debug, Default)]
pub struct OldPaths {
    /// Probe timeouts of each when its last packet became due.
    seen: HashMap<Path, usize>,
    due: Vec<Path>,
}

impl OldPaths {
    /// Takes note of all paths of the connection, once the client's present address is proven. A packet is due when a
    /// path is left, and whenever quiche misses acknowledgements on it.
    pub fn update(&mut self, paths: impl Iterator<Item = PathStats>) {
        for stats in paths {
            let path = (stats.local_addr, stats.peer_addr);
            if stats.active {
                self.seen.remove(&path);
            } else if self.seen.insert(path, stats.total_pto_count) != Some(stats.total_pto_count)
                && !self.due.contains(&path)
            {
                self.due.push(path);
            }
        }
    }

    /// A path of which a packet is due.
    pub fn take(&mut self) -> Option<Path> {
        self.due.pop()
    }
}
