//! Addresses of the origin's name. Asking for them blocks a thread as long as the name server is silent, and the threads that
//! read files must not wait with it: one of its own asks, for all who wait.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;
use std::vec;

use hyper_util::client::legacy::connect::dns::Name;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tower_service::Service;

use super::flights::{Flights, landed};
use crate::sockets::plain;

type Ask = fn(&str) -> io::Result<Vec<SocketAddr>>;

/// What the client of the origin asks for addresses.
#[derive(Clone, Debug)]
pub struct Names {
    ask: Ask,
    /// Errors as text: all who wait get one.
    asked: Arc<Flights<Result<Vec<SocketAddr>, String>>>,
}

impl Default for Names {
    fn default() -> Self {
        Self { ask: ask_the_system, asked: Arc::default() }
    }
}

impl Service<Name> for Names {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let ask = self.ask;
        let flight = self.asked.join(&Handle::current(), name.as_str(), || on_a_thread(ask, name.as_str().to_owned()));
        Box::pin(async {
            let addresses = landed(flight).await.unwrap_or_else(|| Err("nobody could be asked".to_owned()));
            addresses.map(Vec::into_iter).map_err(io::Error::other)
        })
    }
}

async fn on_a_thread(ask: Ask, name: String) -> Result<Vec<SocketAddr>, String> {
    let (answer, answered) = oneshot::channel();
    // Whoever waited may be gone when it ends.
    let asking = move || drop(answer.send(ask(&name).map_err(|error| plain(&error))));
    thread::Builder::new().name("names".to_owned()).spawn(asking).map_err(|error| plain(&error))?;
    answered.await.unwrap_or_else(|_| Err("asking for the address failed".to_owned()))
}

/// Addresses that the system knows of a name; the port is the client's to set. Blocks.
fn ask_the_system(name: &str) -> io::Result<Vec<SocketAddr>> {
    Ok((name, 0).to_socket_addrs()?.collect())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    static ASKED: AtomicUsize = AtomicUsize::new(0);
    static ANSWERS: AtomicUsize = AtomicUsize::new(0);

    /// Silent until it may answer.
    fn silent(_: &str) -> io::Result<Vec<SocketAddr>> {
        ASKED.fetch_add(1, Ordering::SeqCst);
        while ANSWERS.load(Ordering::SeqCst) == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        ask_the_system("127.0.0.1")
    }

    fn name(text: &str) -> Name {
        text.parse().unwrap()
    }

    #[test]
    fn a_silent_name_server_is_asked_once_and_holds_up_no_reading_of_files() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build();
        runtime.unwrap().block_on(async {
            let mut names = Names { ask: silent, asked: Arc::default() };
            let waiting: Vec<_> = (0..50).map(|_| tokio::spawn(names.call(name("media.example")))).collect();
            assert_eq!(tokio::task::spawn_blocking(|| "read").await.unwrap(), "read");
            assert!(!waiting.iter().any(tokio::task::JoinHandle::is_finished));
            ANSWERS.store(1, Ordering::SeqCst);
            for addresses in waiting {
                assert_eq!(addresses.await.unwrap().unwrap().len(), 1);
            }
        });
        assert_eq!(ASKED.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_name_without_addresses_is_an_error_with_a_reason() {
        let mut names = Names { ask: |_| Err(io::Error::other("Name or service not known")), asked: Arc::default() };
        let error = names.call(name("media.example")).await.unwrap_err();
        assert_eq!(error.to_string(), "Name or service not known");
    }
}
