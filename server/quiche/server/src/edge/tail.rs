//! The bytes of a file at the origin that have not come yet, each of which is asked for once.

use bytes::Bytes;
use http::{HeaderValue, Method, header};
use voxel_protocol::ranges::ByteRange;

use super::failure::Failure;
use super::grown::{Grown, interpret};
use super::upstream::Upstream;

#[derive(Debug)]
pub struct Tail {
    url: String,
    /// Bytes that have come.
    have: u64,
    /// Bytes that the file may have.
    most: u64,
    /// The validator of the last answer, whatever it is worth: the file has changed if it has grown.
    etag: Option<HeaderValue>,
    /// Whether the last answer went on for as long as the file grew.
    pub streams: bool,
}

impl Tail {
    /// A file of which the first bytes have come. `etag`: its validator then.
    pub fn new(url: String, (have, etag): (u64, Option<HeaderValue>), most: u64) -> Self {
        Self { url, have, most, etag, streams: false }
    }

    pub fn have(&self) -> u64 {
        self.have
    }

    /// Asks once for what is new, and gives it to `take` as it comes, to the end of the answer. `begun`: told whether the
    /// answer streams. Returns whether anything came.
    pub async fn advance(
        &mut self,
        upstream: &Upstream,
        begun: impl FnOnce(bool),
        mut take: impl FnMut(&Bytes) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        if self.have >= self.most {
            return Err(too_long(self.most));
        }
        let range = ByteRange { start: self.have, end: self.most };
        let etag = self.etag.take();
        let unless_same = etag.clone().map(|etag| (header::IF_NONE_MATCH, etag)).into_iter().collect();
        let (head, mut body) = upstream.ask(Method::GET, &self.url, Some(range), unless_same).await?;
        let before = self.have;
        match interpret(&head, self.have)? {
            Grown::Nothing => {}
            Grown::More { most, streams } => {
                self.streams = streams;
                begun(streams);
                let end = self.have.saturating_add(most);
                while let Some(data) = upstream.next(&mut body).await? {
                    self.have += data.len() as u64;
                    if self.have > end.min(self.most) {
                        return Err(too_long(end.min(self.most)));
                    }
                    take(&data)?;
                }
            }
        }
        self.etag = head.headers.get(header::ETAG).cloned().or(etag);
        Ok(self.have > before)
    }
}

fn too_long(most: u64) -> Failure {
    Failure::Bad(format!("the origin sent more than {most} bytes of a file that grows"))
}
