//! How much clients hold of the server, altogether and each: connections, sessions, requests in flight.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use voxel_protocol::client::ClientAddress;
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::limits::Limits;

/// What a place is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Tcp,
    Quic,
    Session,
    Request,
    /// An unfinished QUIC handshake.
    Handshake,
}

const KINDS: usize = 5;

impl Kind {
    /// A 429 for a client without a place.
    pub fn refusal(self) -> HttpError {
        let held = match self {
            Self::Tcp | Self::Quic => "connections",
            Self::Session => "sessions",
            Self::Request => "requests in flight",
            Self::Handshake => "handshakes",
        };
        HttpError::new(Status::TooManyRequests, format!("too many {held}"))
    }
}

/// Places of each kind.
type Counts = [usize; KINDS];

/// Who holds places: a client, or with `None` all together.
type Holder = Option<ClientAddress>;

/// Gives places to clients.
#[derive(Clone, Debug)]
pub struct Places {
    /// Places that there are altogether, and of one client; 0: any number.
    most: [Counts; 2],
    taken: Arc<Mutex<HashMap<Holder, Counts>>>,
}

/// One place, which is free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    places: Places,
    kind: Kind,
    holders: [Holder; 2],
}

impl Places {
    pub fn new(limits: &Limits) -> Self {
        let each = limits.connections_per_address;
        let altogether = [limits.connections, limits.connections, limits.sessions, 0, 0];
        let per_address = [each, each, limits.sessions_per_address, limits.requests_per_address, 0];
        Self { most: [altogether, per_address], taken: Arc::default() }
    }

    /// A place for a client; `None` if the client or all together have as many as they may.
    pub fn take(&self, kind: Kind, address: IpAddr) -> Option<Place> {
        let (mut taken, index) = (self.taken(), kind as usize);
        let holders = [None, Some(address.into())];
        let count = |holder| taken.get(holder).map_or(0, |counts| counts[index]);
        if holders.iter().zip(&self.most).any(|(holder, most)| is_full(count(holder), most[index])) {
            return None;
        }
        for holder in holders {
            taken.entry(holder).or_default()[index] += 1;
        }
        Some(Place { places: self.clone(), kind, holders })
    }

    /// Places that are taken altogether.
    pub fn count(&self, kind: Kind) -> usize {
        self.taken().get(&None).map_or(0, |counts| counts[kind as usize])
    }

    /// Whether a client has at least half of its places.
    pub fn is_crowded(&self, kind: Kind, address: IpAddr) -> bool {
        let own = self.taken().get(&Some(address.into())).map_or(0, |counts| counts[kind as usize]);
        is_full(2 * own, self.most[1][kind as usize])
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<Holder, Counts>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        for holder in &self.holders {
            let Some(counts) = taken.get_mut(holder) else { continue };
            counts[self.kind as usize] -= 1;
            if *counts == [0; KINDS] {
                taken.remove(holder);
            }
        }
    }
}

fn is_full(count: usize, most: usize) -> bool {
    most > 0 && count >= most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(altogether: usize, per_address: usize) -> Places {
        let limits = Limits { connections: altogether, connections_per_address: per_address, ..Limits::default() };
        Places::new(&limits)
    }

    const ONE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    #[test]
    fn a_client_has_its_own_limit_and_all_have_one_together() {
        let places = places(3, 2);
        let held: Vec<_> = [ONE, ONE].map(|client| places.take(Kind::Tcp, client).unwrap()).into();
        assert!(places.take(Kind::Tcp, ONE).is_none());
        assert!(places.take(Kind::Quic, ONE).is_some(), "another kind");
        let third = places.take(Kind::Tcp, OTHER).unwrap();
        assert!(places.take(Kind::Tcp, OTHER).is_none());
        drop(held);
        assert!(places.take(Kind::Tcp, ONE).is_some());
        drop(third);
        assert!(places.taken().is_empty(), "who holds nothing is forgotten");
    }

    #[test]
    fn zero_means_any_number() {
        let places = places(0, 0);
        let held: Vec<_> = (0..2000).map(|_| places.take(Kind::Quic, ONE).unwrap()).collect();
        assert!(!places.is_crowded(Kind::Quic, ONE));
        assert_eq!(held.len(), 2000);
    }

    #[test]
    fn half_of_its_own_places_make_a_client_crowded() {
        let places = places(0, 4);
        let held: Vec<_> = (0..2).map(|_| places.take(Kind::Quic, ONE)).collect();
        assert!(places.is_crowded(Kind::Quic, ONE) && !places.is_crowded(Kind::Quic, OTHER));
        assert_eq!(held.len(), 2);
    }
}
