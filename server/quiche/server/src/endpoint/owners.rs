//! Which of several workers a connection belongs to.

use std::hash::{BuildHasher, RandomState};

/// Names the worker of each connection ID. An ID has no field for that, which everybody on the way could read: it belongs to the
/// worker that a hash of it names, under a key that this process alone has.
#[derive(Clone, Debug)]
pub struct Owners {
    hash: RandomState,
    workers: usize,
}

impl Owners {
    /// What names each of `workers` workers, at least one, under a new key.
    pub fn new(workers: usize) -> Self {
        Self { hash: RandomState::new(), workers }
    }

    /// The number of the worker that issued an ID, if one of them did.
    pub fn of(&self, id: &[u8]) -> usize {
        (self.hash.hash_one(id) % self.workers as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_spread_evenly_and_another_process_spreads_them_otherwise() {
        let (owners, others) = (Owners::new(4), Owners::new(4));
        let ids: Vec<[u8; 4]> = (0_u32..4000).map(u32::to_be_bytes).collect();
        let mut counts = [0; 4];
        for id in &ids {
            counts[owners.clone().of(id)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert!(ids.iter().any(|id| owners.of(id) != others.of(id)));
    }
}
