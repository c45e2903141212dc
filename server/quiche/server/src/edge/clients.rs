//! What each client holds of the edge and its origin, so that none holds all: requests to the origin, memory, and fetched
//! bytes that it does not read.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use voxel_protocol::client::ClientAddress;

use super::credit::Credit;
use super::failure::Failure;
use super::upstream::REQUESTS;

/// Requests to the origin of one client at a time.
const REQUESTS_EACH: usize = REQUESTS / 4;

/// Requests of one client that wait for one of these.
const WAITING: usize = 1000;

/// Memory for bodies that must not be stored and have not been read yet, in KiB: altogether and of one client.
const UNREAD: usize = 64 * 1024;
const UNREAD_EACH: usize = 4 * 1024;

/// Clients from which on those are looked for that hold nothing.
const MANY: usize = 1024;

#[derive(Debug)]
pub struct Clients {
    each: Mutex<HashMap<ClientAddress, Arc<Client>>>,
    requests_each: usize,
    unread_each: usize,
    unread: Arc<Semaphore>,
}

impl Default for Clients {
    fn default() -> Self {
        Self::new(REQUESTS_EACH, UNREAD_EACH)
    }
}

impl Clients {
    /// All clients have the same address.
    pub fn behind_a_proxy() -> Self {
        Self::new(REQUESTS, UNREAD)
    }

    fn new(requests_each: usize, unread_each: usize) -> Self {
        Self { each: Mutex::default(), requests_each, unread_each, unread: Arc::new(Semaphore::new(UNREAD)) }
    }

    pub fn of(&self, address: IpAddr) -> Arc<Client> {
        let mut each = self.each.lock().unwrap_or_else(PoisonError::into_inner);
        if each.len() >= MANY && each.len() == each.capacity() {
            each.retain(|_, client| Arc::strong_count(client) > 1 || !client.credit().is_full(Instant::now()));
        }
        Arc::clone(each.entry(address.into()).or_insert_with(|| Arc::new(self.client())))
    }

    fn client(&self) -> Client {
        Client {
            requests: Arc::new(Semaphore::new(self.requests_each)),
            waiting: Semaphore::new(WAITING),
            unread: [Arc::new(Semaphore::new(self.unread_each)), Arc::clone(&self.unread)],
            credit: Mutex::new(Credit::new(Instant::now())),
        }
    }
}

#[derive(Debug)]
pub struct Client {
    requests: Arc<Semaphore>,
    waiting: Semaphore,
    /// Its own, and that of all.
    unread: [Arc<Semaphore>; 2],
    credit: Mutex<Credit>,
}

/// A request to the origin, or memory, of a client, which is given back when this is dropped.
#[derive(Debug)]
pub struct Held {
    _client: Arc<Client>,
    _permits: Vec<OwnedSemaphorePermit>,
}

impl Client {
    /// A request to the origin, as soon as the client has fewer than its share. Waits for so long at most.
    pub async fn request(self: &Arc<Self>, patience: Duration) -> Result<Held, Failure> {
        let too_many = || Failure::Busy("too many requests wait for the origin".to_owned());
        let _waiting = self.waiting.try_acquire().map_err(|_| too_many())?;
        let permit = timeout(patience, Arc::clone(&self.requests).acquire_owned()).await.map_err(|_| too_many())?;
        permit.map(|permit| self.held(vec![permit])).map_err(|_| too_many())
    }

    /// The same at once; `None`: the client has its share.
    pub fn request_now(self: &Arc<Self>) -> Option<Held> {
        Some(self.held(vec![Arc::clone(&self.requests).try_acquire_owned().ok()?]))
    }

    /// Memory for a body of so many bytes.
    pub fn memory(self: &Arc<Self>, bytes: usize) -> Result<Held, Failure> {
        let kibibytes = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        let permits = self.unread.iter().map(|all| Arc::clone(all).try_acquire_many_owned(kibibytes));
        let permits: Result<_, _> = permits.collect();
        let full = || Failure::Busy("too many files that must not be stored are being read".to_owned());
        permits.map(|permits| self.held(permits)).map_err(|_| full())
    }

    fn held(self: &Arc<Self>, permits: Vec<OwnedSemaphorePermit>) -> Held {
        Held { _client: Arc::clone(self), _permits: permits }
    }

    /// Whether more may be fetched for it than what it asks for.
    pub fn has_credit(&self) -> bool {
        self.credit().suffices(Instant::now())
    }

    /// It reads bytes of a file.
    pub fn reads(&self, bytes: u64) {
        self.credit().earn(bytes, Instant::now());
    }

    /// The origin is asked for bytes on its behalf.
    pub fn costs(&self, bytes: u64) {
        self.credit().spend(bytes, Instant::now());
    }

    /// Waits until exactly what it asks for may be fetched.
    pub async fn afford(&self) {
        loop {
            let wait = self.credit().wait(Instant::now());
            if wait.is_zero() {
                return;
            }
            sleep(wait).await;
        }
    }

    fn credit(&self) -> MutexGuard<'_, Credit> {
        self.credit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(std::net::Ipv4Addr::from_bits(number))
    }

    #[tokio::test]
    async fn a_client_has_its_share_of_requests_and_others_have_theirs() {
        let clients = Clients::default();
        let one = clients.of(address(1));
        let held: Vec<_> = (0..REQUESTS_EACH).map(|_| one.request_now().unwrap()).collect();
        assert!(clients.of(address(1)).request_now().is_none());
        assert!(one.request(Duration::from_millis(1)).await.is_err());
        assert!(clients.of(address(2)).request_now().is_some());
        drop(held);
        assert!(one.request(Duration::from_secs(60)).await.is_ok());
    }

    #[test]
    fn a_client_has_its_share_of_memory_and_all_have_a_bound() {
        let clients = Clients::default();
        let body = UNREAD_EACH * 1024 / 2;
        let take = |number| clients.of(address(number)).memory(body);
        let held: Vec<_> = [take(1), take(1)].map(Result::unwrap).into();
        assert!(take(1).is_err());
        let others: Vec<_> = (1..(UNREAD / UNREAD_EACH) as u32).flat_map(|it| [take(it + 1), take(it + 1)]).collect();
        assert!(others.iter().all(Result::is_ok) && take(1000).is_err());
        drop(held);
        assert!(take(1000).is_ok());
    }

    #[test]
    fn clients_that_hold_nothing_are_forgotten_and_others_are_not() {
        let clients = Clients::default();
        let held = clients.of(address(0)).request_now();
        clients.of(address(1)).costs(10_000_000);
        (2..100_000).for_each(|number| drop(clients.of(address(number))));
        assert!(clients.each.lock().unwrap().len() < 4 * MANY);
        assert!(held.is_some() && !clients.of(address(1)).has_credit());
        assert_eq!(clients.of(address(0)).requests.available_permits(), REQUESTS_EACH - 1);
    }
}
