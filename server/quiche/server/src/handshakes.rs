//! TLS handshakes of TCP connections: those that nobody finishes make room for others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

/// Handshakes under way, by number: the first is the oldest.
#[derive(Debug, Default)]
struct UnderWay {
    next: u64,
    all: BTreeMap<u64, oneshot::Sender<()>>,
}

#[derive(Clone, Debug)]
pub struct Handshakes {
    most: usize,
    under_way: Arc<Mutex<UnderWay>>,
}

/// A handshake, until this is dropped.
#[derive(Debug)]
pub struct Handshake {
    handshakes: Handshakes,
    number: u64,
    evicted: oneshot::Receiver<()>,
}

impl Handshakes {
    /// No handshake yet: half of the connections may be unfinished at a time; `connections`: 0 for any number.
    pub fn new(connections: usize) -> Self {
        let most = if connections == 0 { usize::MAX } else { (connections / 2).max(1) };
        Self { most, under_way: Arc::default() }
    }

    /// Begins a handshake, and ends the oldest if there are too many.
    pub fn begin(&self) -> Handshake {
        let (evict, evicted) = oneshot::channel();
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        while under_way.all.len() >= self.most {
            under_way.all.pop_first();
        }
        let number = under_way.next;
        under_way.next += 1;
        under_way.all.insert(number, evict);
        Handshake { handshakes: self.clone(), number, evicted }
    }
}

impl Handshake {
    /// Returns when it has to make room for others.
    pub async fn evicted(&mut self) {
        // Nothing is ever sent: the other end is dropped.
        let _ = (&mut self.evicted).await;
    }
}

impl Drop for Handshake {
    fn drop(&mut self) {
        self.handshakes.under_way.lock().unwrap_or_else(PoisonError::into_inner).all.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_makes_room_and_a_finished_one_leaves_it() {
        let handshakes = Handshakes::new(4);
        let (mut first, second) = (handshakes.begin(), handshakes.begin());
        let mut third = handshakes.begin();
        first.evicted().await;
        drop(second);
        let _fourth = handshakes.begin();
        assert!(third.evicted.try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty));
        let _fifth = handshakes.begin();
        third.evicted().await;
    }
}
