//! The threads that serve QUIC. Each has a loop ([`crate::endpoint`]), connections and a socket of its own; files, the cache, places and
//! counters are everybody's.

use std::io;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::certificate::Certificate;
use crate::connection::Shared;
use crate::endpoint::{Command, Endpoint, Inbox, Owners, Parts, ResetKey, ServerId, Worker};
use crate::jobs::{FILE_THREADS, Jobs};
use crate::log;
use crate::places::Places;
use crate::quic::{CongestionControl, LiveControlChoice};
use crate::site::Site;

/// Time until a worker that has ended by itself is started again.
const RESTART: Duration = Duration::from_millis(100);

/// Commands that wait for a loop.
const COMMANDS: usize = 16;

/// Packets of other workers that wait for a loop: about what a socket's buffer holds of one connection.
const STRAYS: usize = 1024;

/// Least threads that read files, of one worker.
const LEAST_FILE_THREADS: usize = 2;

/// What every worker is made from.
pub struct Plan {
    pub site: Arc<Site>,
    pub places: Places,
    pub certificates: watch::Receiver<Arc<Certificate>>,
    pub congestion_control: CongestionControl,
    pub live_control: LiveControlChoice,
    pub reset_key: ResetKey,
    /// What a load balancer finds this server by.
    pub server_id: Option<ServerId>,
    /// A folder for a qlog file per connection.
    pub qlog: Option<PathBuf>,
}

/// How the rest of the server reaches the workers.
#[derive(Clone)]
pub struct Workers(Vec<mpsc::Sender<Command>>);

impl Workers {
    /// Starts a worker for each socket, all of one port. The tasks end after [`Command::Close`]. Must be called in the runtime that
    /// waits for origins.
    pub fn start(sockets: Vec<UdpSocket>, plan: Plan) -> (Self, JoinSet<()>) {
        let count = sockets.len();
        let owners = Owners::new(count);
        let (all, strays): (Vec<_>, Vec<_>) = sockets.iter().map(|_| mpsc::channel(STRAYS)).unzip();
        let (all, plan): (Arc<[_]>, _) = (all.into(), Arc::new(plan));
        let (mut commands, mut tasks) = (Vec::new(), JoinSet::new());
        for (number, (socket, strays)) in sockets.into_iter().zip(strays).enumerate() {
            let (sender, receiver) = mpsc::channel(COMMANDS);
            commands.push(sender);
            let inbox = Arc::new(Mutex::new(Inbox { commands: receiver, strays }));
            let (plan, owners, all, waiting) = (Arc::clone(&plan), owners.clone(), Arc::clone(&all), Handle::current());
            tasks.spawn(keep_running(number, move || {
                let worker = Worker { number, owners: owners.clone(), inbox: inbox.clone(), all: all.clone() };
                // The socket outlives the worker: its clients stay where they are, and what they send meanwhile waits.
                let socket = socket.try_clone();
                let (plan, waiting) = (Arc::clone(&plan), waiting.clone());
                let file_threads = (FILE_THREADS / count).max(LEAST_FILE_THREADS);
                in_thread(number, move || serve(plan.parts(socket?, worker, waiting), file_threads))
            }));
        }
        (Self(commands), tasks)
    }

    /// Whether a request is in flight; `None`: a worker has ended.
    pub async fn busy(&self) -> Option<bool> {
        let mut any = false;
        for commands in &self.0 {
            let (answer, busy) = oneshot::channel();
            commands.send(Command::Busy(answer)).await.ok()?;
            any |= busy.await.ok()?;
        }
        Some(any)
    }

    /// Gives all workers a command.
    pub async fn tell(&self, command: fn() -> Command) {
        for commands in &self.0 {
            // Fails if the worker has ended.
            let _ = commands.send(command()).await;
        }
    }
}

impl Plan {
    fn parts(&self, socket: UdpSocket, worker: Worker, waiting: Handle) -> Parts {
        let (completed, completions) = mpsc::unbounded_channel();
        let shared = Shared {
            site: Arc::clone(&self.site),
            jobs: Jobs::new(completed, waiting),
            places: self.places.clone(),
            live_control: self.live_control,
        };
        Parts {
            socket,
            worker,
            certificates: self.certificates.clone(),
            congestion_control: self.congestion_control,
            shared,
            reset_key: self.reset_key.clone(),
            server_id: self.server_id.clone(),
            qlog: self.qlog.clone(),
            completions,
        }
    }
}

/// Runs a loop on one thread for all its life: glibc has a heap for each thread, and the free memory that connections
/// leave in each heap would add up if the loop moved from thread to thread.
fn serve(parts: Parts, file_threads: usize) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(file_threads).build()?;
    runtime.block_on(async {
        Endpoint::new(parts)?.run().await;
        Ok(())
    })
}

/// Runs a worker until it ends as it was told to. One that ends otherwise has lost its connections, and no other's: it is started
/// again, and its clients connect anew when their next packet is answered with a reset.
async fn keep_running<F: Future<Output = io::Result<()>>>(number: usize, start: impl Fn() -> F) {
    while let Err(error) = start().await {
        let error = Value::from(error.to_string());
        log::warning("worker started again", &[("worker", Value::from(number)), ("error", error)]);
        sleep(RESTART).await;
    }
}

/// The result of `run` in a thread of its own, which is named after the worker.
async fn in_thread(number: usize, run: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
    let (end, ended) = oneshot::channel();
    std::thread::Builder::new().name(format!("worker-{number}")).spawn(move || end.send(run()))?;
    ended.await.unwrap_or_else(|_| Err(io::Error::other("it panicked")))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_worker_that_panics_or_fails_is_started_again_until_it_ends_as_told() {
        let starts = AtomicUsize::new(0);
        keep_running(0, || {
            let start = starts.fetch_add(1, Ordering::Relaxed);
            in_thread(0, move || match start {
                0 => panic!("a worker that panics, for this test"),
                1 => Err(io::Error::other("no socket")),
                _ => Ok(()),
            })
        })
        .await;
        assert_eq!(starts.into_inner(), 3);
    }
}
