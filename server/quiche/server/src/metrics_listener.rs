//! `/metrics` on an address of its own, for whoever watches the server; the public ports do not have it.

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
use voxel_protocol::response::{encode_head, error_response};

use crate::metrics;
use crate::site::{Site, path_of};
use crate::sockets::bracketed;

const PATH: &str = "/metrics";

const READ_BYTES: usize = 4 * 1024;

/// Readers at a time.
const CONNECTIONS: usize = 16;

/// Pause after an error of `accept`, most likely for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves the counters from now on; returns their URL. `host`: what the listener is bound to.
pub fn start(site: &Arc<Site>, host: &str, bound: std::net::TcpListener) -> io::Result<String> {
    let listener = TcpListener::from_std(bound)?;
    let url = format!("http://{}:{}{PATH}", bracketed(host), listener.local_addr()?.port());
    // On loopback, no page whose name was made to point here may read them.
    let own_hosts = is_loopback(host).then(BTreeSet::new);
    tokio::spawn(serve(Arc::clone(site), listener, Arc::new(OriginPolicy::of_hosts(own_hosts))));
    Ok(url)
}

async fn serve(site: Arc<Site>, listener: TcpListener, hosts: Arc<OriginPolicy>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
                let (site, hosts) = (Arc::clone(&site), Arc::clone(&hosts));
                tokio::spawn(async move {
                    let _ = timeout(site.limits.head_timeout, answer(&site, &hosts, stream)).await;
                    drop(place);
                });
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Answers one request, then ends the connection.
async fn answer(site: &Site, hosts: &OriginPolicy, mut stream: TcpStream) -> io::Result<()> {
    let (mut reader, mut buffer) = (HeadReader::default(), vec![0; READ_BYTES]);
    let head = loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        match reader.feed(&buffer[..count], site.limits.head_bytes) {
            Ok(None) => {}
            Ok(Some(head)) => break Ok(head),
            Err(error) => break Err(error),
        }
    };
    let answer = match head.and_then(|head| check(hosts, &head).map(|()| head)) {
        Ok(head) => {
            let text = site.metrics.text();
            let length = text.len().to_string();
            let headers =
                [("content-type", metrics::CONTENT_TYPE), ("content-length", &length), ("connection", "close")];
            encode_head(Status::Ok, headers) + if head.method == "HEAD" { "" } else { &text }
        }
        Err(error) => error_response(&error.with_header("connection", "close")),
    };
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}

fn check(hosts: &OriginPolicy, head: &RequestHead) -> Result<(), HttpError> {
    hosts.check_host(head.headers.get("host").unwrap_or_default())?;
    if !["GET", "HEAD"].contains(&head.method.as_str()) {
        let refused = HttpError::new(Status::MethodNotAllowed, "only GET and HEAD are answered");
        return Err(refused.with_header("allow", "GET, HEAD"));
    }
    if path_of(&head.target) != PATH {
        return Err(HttpError::new(Status::NotFound, format!("the counters are at {PATH}")));
    }
    Ok(())
}
