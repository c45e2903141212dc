//! Requests to the origin: bounded in number and in time.

mod streaming;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http::response::Parts;
use http::{HeaderName, HeaderValue, Request, header};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use voxel_protocol::ranges::ByteRange;

use super::BLOCK_BYTES;
use super::client::{HttpClient, USER_AGENT, cause, client, distrust, source_of};
use super::failure::Failure;
use crate::configuration_error::ConfigurationError;
use crate::log;
use crate::metrics::Metrics;

/// Requests to the origin at a time, and so blocks in memory that are not yet on disk.
pub const REQUESTS: usize = 64;

/// Bodies of more than a block at a time.
const LARGE_BODIES: usize = 4;

/// A body, and the wait for a permit, may take this many times as long as the origin may be silent: what trickles holds up
/// others.
const MOST_TIMES: u32 = 6;

/// What the origin answers, whose body is not read yet.
#[derive(Debug)]
pub struct Response {
    pub head: Parts,
    body: Incoming,
    /// The permit of this request, given back when what came is stored.
    pub permit: OwnedSemaphorePermit,
}

#[derive(Debug)]
pub struct Upstream {
    client: HttpClient,
    /// Time for which the origin may be silent.
    patience: Duration,
    permits: Arc<Semaphore>,
    large: Semaphore,
    metrics: Arc<Metrics>,
}

impl Upstream {
    pub fn new(patience: Duration, metrics: Arc<Metrics>) -> Result<Self, ConfigurationError> {
        let client = client(patience)?;
        let (permits, large) = (Arc::new(Semaphore::new(REQUESTS)), Semaphore::new(LARGE_BODIES));
        Ok(Self { client, patience, permits, large, metrics })
    }

    /// The longest time for which a request waits for its turn, and the same again for its body.
    pub fn longest(&self) -> Duration {
        MOST_TIMES * self.patience
    }

    /// Asks for a part of a file.
    pub async fn get(
        &self,
        url: &str,
        range: Option<ByteRange>,
        conditions: Vec<(HeaderName, HeaderValue)>,
    ) -> Result<Response, Failure> {
        let permit = self.permit().await?;
        let request = request(url, range, conditions)?;
        let begun = Instant::now();
        let answer = match timeout(self.patience, self.client.request(request)).await {
            Err(_) => Err(self.silent()),
            Ok(Err(error)) => Err(unreachable(&error)),
            Ok(Ok(response)) => Ok(response.into_parts()),
        };
        let (status, error) = match &answer {
            Ok((head, _)) => (head.status.as_str().to_owned(), Value::Null),
            Err(failure) => ("failed".to_owned(), Value::from(failure.to_string())),
        };
        self.metrics.add_origin_request(&status);
        let range = range.map_or(Value::Null, |range| Value::from(format!("{}-{}", range.start, range.end - 1)));
        let milliseconds = Value::from(begun.elapsed().as_millis() as u64);
        let fields =
            [("url", Value::from(url)), ("range", range), ("status", Value::from(status)), ("ms", milliseconds)];
        match &answer {
            Ok(_) => log::info("origin asked", &fields),
            Err(_) => log::warning("origin asked", &[&fields[..], &[("error", error)]].concat()),
        }
        answer.map(|(head, body)| Response { head, body, permit })
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, Failure> {
        let permit = timeout(self.longest(), Arc::clone(&self.permits).acquire_owned()).await;
        let permit = permit.map_err(|_| Failure::Down("too many requests wait for the origin".to_owned()))?;
        permit.map_err(|_| Failure::Down("the server is stopping".to_owned()))
    }

    /// Reads a body of exactly `length` bytes; `None`: to its end, at most `most`.
    pub async fn read(
        &self,
        response: Response,
        length: Option<u64>,
        most: u64,
    ) -> Result<(Bytes, OwnedSemaphorePermit), Failure> {
        let Response { body, permit, .. } = response;
        let is_large = length.unwrap_or(most) > BLOCK_BYTES;
        let all = timeout(self.longest(), async {
            let _large = if is_large { self.large.acquire().await.ok() } else { None };
            self.collect(body, length, most).await
        });
        let bytes = all.await.unwrap_or_else(|_| Err(Failure::Down("the origin is too slow".to_owned())))?;
        Ok((bytes, permit))
    }

    async fn collect(&self, mut body: Incoming, length: Option<u64>, most: u64) -> Result<Bytes, Failure> {
        let mut bytes = BytesMut::with_capacity(length.unwrap_or(0).min(most) as usize);
        let most = length.unwrap_or(most);
        loop {
            let frame = timeout(self.patience, body.frame()).await.map_err(|_| self.silent())?;
            let short = |error: String| match length {
                Some(length) => Failure::Broken(format!("the origin sent {} of {length} bytes{error}", bytes.len())),
                None => Failure::Broken(format!("the origin broke off its answer{error}")),
            };
            match frame {
                None if length.is_some_and(|length| length > bytes.len() as u64) => return Err(short(String::new())),
                None => return Ok(bytes.freeze()),
                Some(Err(error)) => return Err(short(format!(": {}", cause(&error)))),
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else { continue };
                    self.metrics.add("voxel_origin_bytes_total", data.len() as i64);
                    if (bytes.len() + data.len()) as u64 > most {
                        return Err(Failure::Bad(format!("the origin sent more than {most} bytes")));
                    }
                    bytes.extend_from_slice(&data);
                }
            }
        }
    }

    fn silent(&self) -> Failure {
        Failure::Down(format!("the origin did not answer within {} s", self.patience.as_secs()))
    }
}

fn request(
    url: &str,
    range: Option<ByteRange>,
    conditions: Vec<(HeaderName, HeaderValue)>,
) -> Result<Request<Empty<Bytes>>, Failure> {
    let malformed = |error: http::Error| Failure::Bad(format!("the file has no address at the origin: {error}"));
    let mut request = Request::get(url).body(Empty::new()).map_err(malformed)?;
    let headers = request.headers_mut();
    headers.extend(conditions.into_iter().map(|(name, value)| (Some(name), value)));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if let Some(ByteRange { start, end }) = range {
        let value = HeaderValue::try_from(format!("bytes={start}-{}", end - 1));
        headers.insert(header::RANGE, value.map_err(|error| malformed(error.into()))?);
    }
    Ok(request)
}

/// Clients are not told the origin's address.
fn unreachable(error: &hyper_util::client::legacy::Error) -> Failure {
    if let Some(reason) = distrust(error) {
        return Failure::Down(format!("the origin's certificate is not trusted: {reason}"));
    }
    if error.is_connect() {
        return Failure::Broken(format!("the origin cannot be reached: {}", cause(error)));
    }
    if source_of::<hyper::Error>(error).is_some_and(hyper::Error::is_parse) {
        return Failure::Bad(format!("the origin does not answer as HTTP/1.1 does: {}", cause(error)));
    }
    Failure::Broken(format!("the origin broke off its answer: {}", cause(error)))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    fn upstream(patience: Duration) -> Upstream {
        Upstream::new(patience, Arc::new(Metrics::new(true))).unwrap()
    }

    #[tokio::test]
    async fn nobody_waits_forever_for_requests_that_do_not_end() {
        let upstream = upstream(Duration::from_millis(20));
        let _all = Arc::clone(&upstream.permits).acquire_many_owned(REQUESTS as u32).await;
        let refused = timeout(Duration::from_secs(60), upstream.get("http://127.0.0.1:9/", None, Vec::new())).await;
        let failure = Failure::Down("too many requests wait for the origin".to_owned());
        assert_eq!(refused.unwrap().unwrap_err(), failure);
    }

    #[tokio::test]
    async fn nobody_waits_forever_for_large_bodies_that_do_not_end() {
        let mut upstream = upstream(Duration::from_secs(60));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let origin = tokio::spawn(async move {
            let (mut connection, _) = listener.accept().await.unwrap();
            connection.read_u8().await.unwrap();
            connection.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            connection
        });
        let response = upstream.get(&url, None, Vec::new()).await.unwrap();
        let _connection = origin.await;
        upstream.patience = Duration::from_millis(300);
        let _all = upstream.large.acquire_many(LARGE_BODIES as u32).await;
        let read = timeout(Duration::from_secs(60), upstream.read(response, None, 2 * BLOCK_BYTES)).await;
        assert_eq!(read.unwrap().unwrap_err(), Failure::Down("the origin is too slow".to_owned()));
    }
}
