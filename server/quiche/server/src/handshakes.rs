//! TLS handshakes of TCP connections, and heads of requests for the counters: those that nobody finishes make room for others.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

/// A handshake, until this is dropped. It is ready when it has to make room for others: nothing is ever sent, the other end
/// is dropped.
pub type Handshake = oneshot::Receiver<()>;

#[derive(Debug)]
pub struct Handshakes {
    most: usize,
    /// Handshakes under way and some that have ended, the oldest first.
    under_way: Mutex<VecDeque<oneshot::Sender<()>>>,
}

impl Handshakes {
    /// No handshake yet: half of the connections may be unfinished at a time; `connections`: 0 for any number.
    pub fn new(connections: usize) -> Self {
        let most = if connections == 0 { usize::MAX } else { (connections / 2).max(1) };
        Self { most, under_way: Mutex::default() }
    }

    /// Begins a handshake, and ends the oldest if there are too many.
    pub fn begin(&self) -> Handshake {
        let (evict, evicted) = oneshot::channel();
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        under_way.retain(|other| !other.is_closed());
        while under_way.len() >= self.most {
            under_way.pop_front();
        }
        under_way.push_back(evict);
        evicted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_makes_room_and_a_finished_one_leaves_it() {
        let handshakes = Handshakes::new(4);
        let (first, second) = (handshakes.begin(), handshakes.begin());
        let mut third = handshakes.begin();
        assert!(first.await.is_err());
        drop(second);
        let _fourth = handshakes.begin();
        assert!(third.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty));
        let _fifth = handshakes.begin();
        assert!(third.await.is_err());
    }
}
