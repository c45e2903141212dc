//! HTTP/1.1 on TCP: the same files for clients without WebTransport.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use boring::ssl::SslAcceptor;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_boring::SslStream;
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::follow::{LAST_CHUNK, coded};
use voxel_protocol::head::{HeadReader, HttpVersion, RequestHead};
use voxel_protocol::response::encode_head;
use voxel_protocol::site::HttpRequest;
use voxel_protocol::target::effective_target;

use crate::body::Body;
use crate::growing::Growing;
use crate::handshakes::Handshakes;
use crate::jobs::{self, CHUNK_BYTES};
use crate::log;
use crate::places::{Kind, Place, Places};
use crate::site::{HttpAnswer, Site, path_of, refusal};

const READ_BYTES: usize = 16 * 1024;

/// A refused client may still be sending. Closing at once would reset the connection before the client reads the
/// response.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: u64 = 1024 * 1024;

/// Interval at which a response that waits looks whether its encoder is dead.
const GIVEN_UP_LOOK: Duration = Duration::from_secs(1);

/// Pause after an error of `accept`, most likely for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves TCP connections and counts the requests in flight.
#[derive(Debug)]
pub struct Http1 {
    site: Arc<Site>,
    places: Places,
    handshakes: Handshakes,
    /// Held once more by each request in flight.
    answers: Arc<()>,
}

impl Http1 {
    pub fn new(site: Arc<Site>, places: Places) -> Arc<Self> {
        let handshakes = Handshakes::new(site.limits.connections);
        Arc::new(Self { site, places, handshakes, answers: Arc::default() })
    }

    /// Requests in flight.
    pub fn answers(&self) -> usize {
        Arc::strong_count(&self.answers) - 1
    }

    /// Accepts connections, of HTTPS if `tls` holds an acceptor then, and closes those that are too many. Never returns.
    pub async fn accept(self: Arc<Self>, listener: TcpListener, tls: watch::Receiver<Option<SslAcceptor>>) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => {
                    let Some(place) = self.places.take(Kind::Tcp, peer.ip()) else { continue };
                    let _ = stream.set_nodelay(true);
                    task::spawn(Arc::clone(&self).connected(stream, peer.ip(), place, tls.borrow().clone()));
                }
                Err(error) => {
                    log::warning("accept failed", &[("error", Value::from(error.to_string()))]);
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    async fn connected(self: Arc<Self>, stream: TcpStream, address: IpAddr, _place: Place, tls: Option<SslAcceptor>) {
        // A failure of one client's connection is not logged.
        let _ = match tls {
            None => self.serve(stream, address).await,
            Some(acceptor) => match self.secured(&acceptor, stream).await {
                Some(stream) => self.serve(stream, address).await,
                None => Ok(()),
            },
        };
    }

    /// The connection after the handshake; `None` if that fails, takes too long or has to make room for others.
    async fn secured(&self, acceptor: &SslAcceptor, stream: TcpStream) -> Option<SslStream<TcpStream>> {
        let evicted = self.handshakes.begin();
        tokio::select! {
            result = timeout(self.site.limits.head_timeout, tokio_boring::accept(acceptor, stream)) => result.ok()?.ok(),
            _ = evicted => None,
        }
    }

    async fn serve<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S, address: IpAddr) -> io::Result<()> {
        let mut connection = Connection { site: &self.site, stream, address, head: HeadReader::default() };
        while let Some(request) = connection.next_request().await? {
            let _counted = Arc::clone(&self.answers);
            let place = self.places.take(Kind::Request, address).ok_or_else(|| Kind::Request.refusal());
            if !connection.answer(request, place.as_ref().err()).await? {
                break;
            }
        }
        Ok(())
    }
}

/// One TCP connection: requests one after another.
struct Connection<'a, S> {
    site: &'a Arc<Site>,
    stream: S,
    /// The client's.
    address: IpAddr,
    head: HeadReader,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<'_, S> {
    /// The next request; `None` at the end of the connection.
    async fn next_request(&mut self) -> io::Result<Option<RequestHead>> {
        match self.read_head().await? {
            Ok(None) => Ok(None),
            Ok(Some(head)) if head.announces_body() => {
                self.refuse(&HttpError::bad_request("a request body is not accepted")).await?;
                Ok(None)
            }
            Ok(head) => Ok(head),
            Err(error) => {
                self.refuse(&error).await?;
                Ok(None)
            }
        }
    }

    async fn read_head(&mut self) -> io::Result<Result<Option<RequestHead>, HttpError>> {
        let limits = &self.site.limits;
        let allowed = if self.head.has_more() { limits.head_timeout } else { limits.keep_alive };
        let mut deadline = Instant::now() + allowed;
        let mut buffer = vec![0; READ_BYTES];
        let mut received: &[u8] = &[];
        loop {
            let begun = self.head.has_more();
            match self.head.feed(received, limits.head_bytes) {
                Ok(None) => {}
                complete_or_refused => return Ok(complete_or_refused),
            }
            if !begun && self.head.has_more() {
                deadline = Instant::now() + limits.head_timeout;
            }
            let count = timeout_at(deadline, self.stream.read(&mut buffer)).await??;
            if count == 0 {
                return Ok(Ok(None));
            }
            received = &buffer[..count];
        }
    }

    /// Sends the response, which may be a refusal; returns whether the connection stays open.
    async fn answer(&mut self, head: RequestHead, refused: Option<&HttpError>) -> io::Result<bool> {
        let close = head.version == HttpVersion::Http10
            || head
                .headers
                .get("connection")
                .is_some_and(|it| it.split(',').any(|word| word.trim().eq_ignore_ascii_case("close")));
        let (authority, target) = effective_target(&head.target, head.headers.get("host").unwrap_or_default());
        let request = HttpRequest { method: head.method, target, authority, headers: head.headers };
        let target = path_of(&request.target).to_owned();
        let mut answer = if let Some(error) = refused { refusal(error) } else { self.respond(request).await? };
        if answer.growing.is_some() && head.version == HttpVersion::Http11 {
            answer.headers.push(("transfer-encoding", "chunked".to_owned()));
        }
        if close {
            answer.headers.push(("connection", "close".to_owned()));
        }
        let status = answer.status;
        self.send(answer).await?;
        self.count(status, ("target", Value::from(target)));
        Ok(!close)
    }

    async fn respond(&self, request: HttpRequest) -> io::Result<HttpAnswer> {
        let (site, address) = (Arc::clone(self.site), self.address);
        jobs::run(async move { site.respond(&request, address).await }).await
    }

    /// Sends an error response and ends the connection.
    async fn refuse(&mut self, error: &HttpError) -> io::Result<()> {
        let mut answer = refusal(error);
        answer.headers.push(("connection", "close".to_owned()));
        self.send(answer).await?;
        self.count(error.status, ("reason", Value::from(error.message.as_str())));
        self.stream.shutdown().await?;
        let mut rest = (&mut self.stream).take(LINGER_BYTES);
        let _ = timeout(LINGER, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await;
        Ok(())
    }

    fn count(&self, status: Status, field: (&str, Value)) {
        self.site.metrics.add_request("http1", status);
        log::info("request", &[("transport", Value::from("http1")), ("status", Value::from(status.code())), field]);
    }

    async fn send(&mut self, answer: HttpAnswer) -> io::Result<()> {
        let chunked = answer.headers.iter().any(|(name, _)| *name == "transfer-encoding");
        let headers = answer.headers.iter().map(|(name, value)| (*name, value.as_str()));
        // Header values are ISO-8859-1. Only those that repeat what the client sent are not ASCII.
        let head: Vec<u8> = encode_head(answer.status, headers).chars().map(|it| it as u8).collect();
        self.write(&head).await?;
        match answer.growing {
            Some(growing) => self.send_growing(growing, chunked).await,
            None => self.send_body(answer.body, false).await,
        }
    }

    /// Follows a file to its end. Fails if it does not grow any more.
    async fn send_growing(&mut self, mut growing: Growing, chunked: bool) -> io::Result<()> {
        let (mut changes, begun) = (growing.watched.changes(), std::time::Instant::now());
        loop {
            while let Some(body) = growing.take() {
                self.send_body(body, chunked).await?;
            }
            if growing.finished() {
                break;
            }
            if growing.watched.is_given_up(begun, std::time::Instant::now()) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let _ = timeout(GIVEN_UP_LOOK, changes.changed()).await;
        }
        if chunked { self.write(LAST_CHUNK).await } else { Ok(()) }
    }

    async fn send_body(&mut self, mut body: Body, chunked: bool) -> io::Result<()> {
        while body.left() > 0 {
            let room = body.room(CHUNK_BYTES);
            let chunk;
            (chunk, body) = jobs::run(async move { (body.read(room).await, body) }).await?;
            let chunk = chunk?;
            if chunked {
                self.write(&coded(&chunk)).await?;
            } else {
                self.write(&chunk).await?;
            }
            self.site.metrics.add("voxel_stream_bytes_total", chunk.len() as i64);
        }
        Ok(())
    }

    async fn write(&mut self, data: &[u8]) -> io::Result<()> {
        timeout(self.site.limits.write_timeout, self.stream.write_all(data)).await?
    }
}
