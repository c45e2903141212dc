//! `/metrics` and `/health` on an address of their own, for whoever watches the server; the public ports do not have them.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::head::{HeadReader, RequestHead};
use voxel_protocol::origin::{OriginPolicy, is_loopback};
use voxel_protocol::response::{TEXT, encode_head, error_response};

use crate::handshakes::{Handshake, Handshakes};
use crate::metrics;
use crate::process;
use crate::site::{Site, path_of};
use crate::sockets::bracketed;
use crate::workers::Workers;

const PATH: &str = "/metrics";

const HEALTH_PATH: &str = "/health";

/// Time within which the loops over all connections answer, unless one hangs.
const LOOP_PATIENCE: Duration = Duration::from_secs(1);

const READ_BYTES: usize = 4 * 1024;

/// Readers at a time.
const CONNECTIONS: usize = 16;

/// Pause after an error of `accept`, most likely for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What the operator's requests are answered from.
struct Operator {
    site: Arc<Site>,
    hosts: OriginPolicy,
    workers: Workers,
}

/// Serves the counters from now on; returns their URL. `host`: what the listener is bound to.
pub fn start(site: &Arc<Site>, workers: &Workers, host: &str, bound: std::net::TcpListener) -> io::Result<String> {
    process::started();
    let listener = TcpListener::from_std(bound)?;
    let url = format!("http://{}:{}{PATH}", bracketed(host), listener.local_addr()?.port());
    // On loopback, no page whose name was made to point here may read them.
    let hosts = OriginPolicy::of_hosts(is_loopback(host).then(BTreeSet::new));
    let operator = Operator { site: Arc::clone(site), hosts, workers: workers.clone() };
    tokio::spawn(serve(Arc::new(operator), listener));
    Ok(url)
}

async fn serve(operator: Arc<Operator>, listener: TcpListener) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    // Who sends no whole head makes room for a health check before its time is over.
    let heads = Handshakes::new(CONNECTIONS);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let (operator, evicted) = (Arc::clone(&operator), heads.begin());
                // Half of them at most send no head, and the others have an answer soon.
                let Ok(place) = Arc::clone(&room).acquire_owned().await else { continue };
                tokio::spawn(async move {
                    let _ = timeout(operator.site.limits.head_timeout, operator.answer(stream, evicted)).await;
                    drop(place);
                });
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

impl Operator {
    /// Answers one request, then ends the connection.
    async fn answer(&self, mut stream: TcpStream, evicted: Handshake) -> io::Result<()> {
        let head = tokio::select! {
            head = self.read_head(&mut stream) => head?,
            _ = evicted => return Ok(()),
        };
        let answer = match head {
            Ok(None) => return Ok(()),
            Ok(Some(head)) => self.respond(&head).await,
            Err(error) => Err(error),
        };
        let answer = answer.unwrap_or_else(|error| error_response(&error.with_header("connection", "close")));
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    }

    /// The request; `None`: the client has gone.
    async fn read_head(&self, stream: &mut TcpStream) -> io::Result<Result<Option<RequestHead>, HttpError>> {
        let (mut reader, mut buffer) = (HeadReader::default(), vec![0; READ_BYTES]);
        loop {
            let count = stream.read(&mut buffer).await?;
            if count == 0 {
                return Ok(Ok(None));
            }
            match reader.feed(&buffer[..count], self.site.limits.head_bytes) {
                Ok(None) => {}
                complete_or_refused => return Ok(complete_or_refused),
            }
        }
    }

    async fn respond(&self, head: &RequestHead) -> Result<String, HttpError> {
        self.hosts.check_host(head.headers.get("host").unwrap_or_default())?;
        if !["GET", "HEAD"].contains(&head.method.as_str()) {
            let refused = HttpError::new(Status::MethodNotAllowed, "only GET and HEAD are answered");
            return Err(refused.with_header("allow", "GET, HEAD"));
        }
        let (content_type, text) = match path_of(&head.target) {
            PATH => (metrics::CONTENT_TYPE, self.site.metrics.text() + &process::text()),
            HEALTH_PATH => (TEXT, self.health().await?.to_owned()),
            _ => {
                let message = format!("the counters are at {PATH}, health at {HEALTH_PATH}");
                return Err(HttpError::new(Status::NotFound, message));
            }
        };
        let length = text.len().to_string();
        let headers = [("content-type", content_type), ("content-length", &length), ("connection", "close")];
        Ok(encode_head(Status::Ok, headers) + if head.method == "HEAD" { "" } else { &text })
    }

    /// A 503 for a server that should get no new clients.
    async fn health(&self) -> Result<&'static str, HttpError> {
        self.site.refuse_while_draining()?;
        match timeout(LOOP_PATIENCE, self.workers.busy()).await {
            Ok(Some(_)) => Ok("ok\n"),
            _ => Err(HttpError::new(Status::ServiceUnavailable, "the QUIC loop does not answer")),
        }
    }
}
