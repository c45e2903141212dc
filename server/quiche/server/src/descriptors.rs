//! File descriptors: how many this program may have, and what they are for.

use std::io;

/// Descriptors of the server itself: standard streams, listening sockets, event queues and readers of the counters.
const OWN: usize = 64;

/// Descriptors of one worker: its socket, twice, and its event queue.
const WORKER: usize = 8;

/// The division of the descriptors: connections may not use up those of files, nor files those of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// TCP connections, and likewise QUIC connections, at a time.
    pub connections: usize,
    /// Files open for responses at a time.
    pub files: usize,
}

impl Budget {
    /// The division of `descriptors` for `connections` (0: any number), each of which takes one, and with `qlog`
    /// another for its log. As many files at least: a connection reads one.
    pub fn new(descriptors: usize, workers: usize, connections: usize, qlog: bool) -> Self {
        let each = 1 + usize::from(qlog);
        let available = descriptors.saturating_sub(OWN + WORKER * workers);
        let most = (available / (each + 1)).max(1);
        let connections = if connections == 0 { most } else { connections.min(most) };
        Self { connections, files: available.saturating_sub(each * connections).max(1) }
    }
}

/// Allows this program as many descriptors as the system lets it have; returns how many.
pub fn raise() -> io::Result<usize> {
    rlimit::increase_nofile_limit(rlimit::INFINITY).map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_lowered_to_what_fits_and_files_get_the_rest() {
        for (descriptors, connections, qlog, expected) in [
            (1_000_000, 1000, false, (1000, 998_928)),
            (1024, 1000, false, (476, 476)),
            (1024, 100, false, (100, 852)),
            (1024, 0, false, (476, 476)),
            (1024, 1000, true, (317, 318)),
            (64, 1000, false, (1, 1)),
        ] {
            let Budget { connections, files } = Budget::new(descriptors, 1, connections, qlog);
            assert_eq!((connections, files), expected, "of {descriptors}");
        }
    }
}
