//! The connections of an endpoint, by key and by connection ID, with their timers and their turns.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Instant;

use quiche::ConnectionId;

use crate::connection::Connection;

#[derive(Default)]
pub struct Connections {
    entries: HashMap<u64, Entry>,
    keys: HashMap<ConnectionId<'static>, u64>,
    next_key: u64,
    timers: BTreeSet<(Instant, u64)>,
    /// Connections to which something has happened.
    ready: VecDeque<u64>,
}

struct Entry {
    connection: Connection,
    ids: Vec<ConnectionId<'static>>,
    timer: Option<Instant>,
    /// Whether it is in [`Connections::ready`].
    ready: bool,
}

impl Connections {
    /// Whether the packet that closes it has left on each connection.
    pub fn all_closed(&self) -> bool {
        self.entries
            .values()
            .all(|Entry { connection, .. }| connection.quic.is_draining() || connection.quic.is_closed())
    }

    pub fn keys(&self) -> Vec<u64> {
        self.entries.keys().copied().collect()
    }

    pub fn key_of(&self, id: &ConnectionId<'_>) -> Option<u64> {
        self.keys.get(id).copied()
    }

    pub fn get_mut(&mut self, key: u64) -> Option<&mut Connection> {
        self.entries.get_mut(&key).map(|entry| &mut entry.connection)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut Connection)> {
        self.entries.iter_mut().map(|(key, entry)| (*key, &mut entry.connection))
    }

    /// Adds a connection that clients reach by these IDs; returns its key, which is never used again.
    pub fn add(&mut self, ids: Vec<ConnectionId<'static>>, new: impl FnOnce(u64) -> Connection) -> u64 {
        let key = self.next_key;
        self.next_key += 1;
        self.keys.extend(ids.iter().map(|id| (id.clone(), key)));
        self.entries.insert(key, Entry { connection: new(key), ids, timer: None, ready: false });
        key
    }

    pub fn remove(&mut self, key: u64) -> Option<Connection> {
        let Entry { connection, ids, timer, .. } = self.entries.remove(&key)?;
        for id in ids {
            self.keys.remove(&id);
        }
        if let Some(time) = timer {
            self.timers.remove(&(time, key));
        }
        Some(connection)
    }

    /// Gives the client connection IDs for when its address changes, and forgets those that it has used up.
    /// `issue`: another ID with its stateless reset token.
    pub fn update_ids(&mut self, key: u64, issue: impl Fn() -> Option<(u128, ConnectionId<'static>)>) {
        let Some(Entry { connection, ids, .. }) = self.entries.get_mut(&key) else { return };
        while connection.quic.is_established() && connection.quic.scids_left() > 0 {
            let Some((token, id)) = issue() else { return };
            if connection.quic.new_scid(&id, token, false).is_err() {
                break;
            }
            self.keys.insert(id.clone(), key);
            ids.push(id);
        }
        while let Some(retired) = connection.quic.retired_scid_next() {
            self.keys.remove(&retired);
            ids.retain(|id| *id != retired);
        }
    }

    /// Puts a connection in the queue of those that may have something to send.
    pub fn make_ready(&mut self, key: u64) {
        if let Some(entry) = self.entries.get_mut(&key)
            && !entry.ready
        {
            entry.ready = true;
            self.ready.push_back(key);
        }
    }

    pub fn any_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Empties the queue; what becomes ready from now on waits for the next round.
    pub fn take_ready(&mut self) -> VecDeque<u64> {
        for key in &self.ready {
            if let Some(entry) = self.entries.get_mut(key) {
                entry.ready = false;
            }
        }
        std::mem::take(&mut self.ready)
    }

    pub fn next_timer(&self) -> Option<Instant> {
        self.timers.first().map(|(time, _)| *time)
    }

    /// A connection whose timer has expired by `now`; its timer is unset.
    pub fn take_expired(&mut self, now: Instant) -> Option<u64> {
        let (_, key) = self.timers.first().copied().filter(|(time, _)| *time <= now)?;
        self.timers.pop_first();
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.timer = None;
        }
        Some(key)
    }

    pub fn set_timer(&mut self, key: u64, time: Option<Instant>) {
        let Some(entry) = self.entries.get_mut(&key) else { return };
        if time != entry.timer {
            if let Some(old) = entry.timer {
                self.timers.remove(&(old, key));
            }
            self.timers.extend(time.map(|time| (time, key)));
            entry.timer = time;
        }
    }
}
