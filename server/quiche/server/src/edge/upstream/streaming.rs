//! Requests for files that grow, which are many and small or take as long as the file grows: they take none of the permits
//! of those for blocks, and are not logged one by one. Who makes them bounds their number.

use bytes::Bytes;
use http::response::Parts;
use http::{HeaderName, HeaderValue, Method};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;
use voxel_protocol::ranges::ByteRange;

use super::{Upstream, cause, request, unreachable};
use crate::edge::failure::Failure;

impl Upstream {
    /// Asks for a part of a file; the head of the answer, and its body.
    pub async fn ask(
        &self,
        method: Method,
        url: &str,
        range: Option<ByteRange>,
        conditions: Vec<(HeaderName, HeaderValue)>,
    ) -> Result<(Parts, Incoming), Failure> {
        let mut request = request(url, range, conditions)?;
        *request.method_mut() = method;
        let answer = match timeout(self.patience, self.client.request(request)).await {
            Err(_) => Err(self.silent()),
            Ok(answer) => answer.map_err(|error| unreachable(&error)),
        };
        let status = answer.as_ref().map_or_else(|_| "failed".to_owned(), |answer| answer.status().as_str().to_owned());
        self.metrics.add_origin_request(&status);
        answer.map(http::Response::into_parts)
    }

    /// The next bytes of a body, however long they take; `None`: its end.
    pub async fn next(&self, body: &mut Incoming) -> Result<Option<Bytes>, Failure> {
        while let Some(frame) = body.frame().await {
            let broken = |error| Failure::Broken(format!("the origin broke off its answer: {}", cause(&error)));
            if let Ok(data) = frame.map_err(broken)?.into_data() {
                self.metrics.add("voxel_origin_bytes_total", data.len() as i64);
                return Ok(Some(data));
            }
        }
        Ok(None)
    }
}
