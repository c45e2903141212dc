//! One piece of work for all who want its result.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::watch;

/// Work under way, by key.
#[derive(Debug)]
pub struct Flights<T>(Mutex<HashMap<String, watch::Receiver<Option<T>>>>);

impl<T> Default for Flights<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// Ends the flight of a key, also where the work panics.
struct Landing<T> {
    flights: Arc<Flights<T>>,
    key: String,
}

impl<T> Drop for Landing<T> {
    fn drop(&mut self) {
        self.flights.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

impl<T: Clone + Send + Sync + 'static> Flights<T> {
    /// The work under way for `key`.
    pub fn under_way(&self, key: &str) -> Option<watch::Receiver<Option<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Joins the work under way for `key`, or starts `work` in `runtime`, which goes on when nobody waits any more. Whoever
    /// comes after its end starts anew, so `work` first looks for the result of an earlier one.
    pub fn join<F>(
        self: &Arc<Self>,
        runtime: &Handle,
        key: &str,
        work: impl FnOnce() -> F,
    ) -> watch::Receiver<Option<T>>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = flights.get(key) {
            return result.clone();
        }
        let (sender, receiver) = watch::channel(None);
        flights.insert(key.to_owned(), receiver.clone());
        let landing = Landing { flights: Arc::clone(self), key: key.to_owned() };
        let work = work();
        runtime.spawn(async move {
            let result = work.await;
            drop(landing);
            sender.send_replace(Some(result));
        });
        receiver
    }
}

/// The result, once it is there; `None`: the work has panicked.
pub async fn landed<T: Clone>(mut flight: watch::Receiver<Option<T>>) -> Option<T> {
    flight.wait_for(Option::is_some).await.ok()?.clone()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn all_who_wait_for_a_key_share_one_result() {
        let flights = Arc::new(Flights::default());
        let runs = Arc::new(AtomicUsize::new(0));
        let (go, gate) = watch::channel(false);
        let start = || {
            let (runs, mut gate) = (Arc::clone(&runs), gate.clone());
            flights.join(&Handle::current(), "a", || async move {
                gate.wait_for(|open| *open).await.unwrap();
                runs.fetch_add(1, Ordering::Relaxed)
            })
        };
        let waiting: Vec<_> = (0..200).map(|_| start()).collect();
        go.send_replace(true);
        for flight in waiting {
            assert_eq!(landed(flight).await, Some(0));
        }
        assert_eq!(landed(start()).await, Some(1), "who comes later");
    }

    #[tokio::test]
    async fn work_that_panics_ends_its_flight() {
        let flights: Arc<Flights<u8>> = Arc::default();
        assert_eq!(landed(flights.join(&Handle::current(), "a", || async { panic!("on purpose") })).await, None);
        assert_eq!(landed(flights.join(&Handle::current(), "a", || async { 1 })).await, Some(1));
    }
}
