//! Parts of files of which it is known what there is: blocks, which are kept, and exactly what is asked for, which is not.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::task::{self, JoinSet};
use voxel_protocol::ranges::ByteRange;

use super::answer::{Answer, interpret};
use super::clients::{Client, Held};
use super::entry::Entry;
use super::failure::Failure;
use super::fetching::{MOST_WHOLE_BYTES, block_name, blocks, too_little, twice, without_parts};
use super::flights::landed;
use super::{BLOCK_BYTES, Edge, broken};

/// A block on its way: see [`landed`].
type Fetch = watch::Receiver<Option<Result<Bytes, Failure>>>;

impl Edge {
    /// A block that is not stored, fetched once for all who want it; `None`: the client has no credit for that, and gets
    /// exactly what it asks for ([`Edge::part`]).
    pub(super) async fn block(
        self: &Arc<Self>,
        entry: &Arc<Entry>,
        number: u64,
        client: &Arc<Client>,
    ) -> Result<Option<Bytes>, Failure> {
        let name = block_name(&entry.url, &entry.version, number);
        let flight = match self.fetches.under_way(&name) {
            Some(flight) => flight,
            None if !client.has_credit() => return Ok(None),
            None => {
                let request = self.request(client).await?;
                if !client.has_credit() {
                    return Ok(None);
                }
                self.fetch(entry, number, (client, request))
            }
        };
        landed(flight).await.unwrap_or_else(broken).map(Some)
    }

    /// Fetches a block that will be wanted, unless the client has no request or no credit left.
    pub(super) fn fetch_ahead(self: &Arc<Self>, entry: &Arc<Entry>, number: u64, client: &Arc<Client>) {
        let is_under_way = self.fetches.under_way(&block_name(&entry.url, &entry.version, number)).is_some();
        if let Some(request) = client.request_now().filter(|_| !is_under_way && client.has_credit()) {
            // If it fails, the response will ask again and say why.
            drop(self.fetch(entry, number, (client, request)));
        }
    }

    /// Goes on even if nobody waits for it.
    fn fetch(self: &Arc<Self>, entry: &Arc<Entry>, number: u64, (client, request): (&Arc<Client>, Held)) -> Fetch {
        self.fetches.join(&self.runtime, &block_name(&entry.url, &entry.version, number), || {
            client.costs(block(entry, number).len());
            let (edge, entry, client) = (Arc::clone(self), Arc::clone(entry), Arc::clone(client));
            async move {
                let _request = request;
                edge.fetch_once(&entry, number, &client).await
            }
        })
    }

    /// Exactly these bytes, at most a block, which are not kept.
    pub(super) async fn part(
        self: &Arc<Self>,
        entry: &Arc<Entry>,
        range: ByteRange,
        client: &Arc<Client>,
    ) -> Result<Bytes, Failure> {
        let affordable = Arc::clone(client);
        self.in_runtime(async move {
            affordable.afford().await;
            Ok(())
        })
        .await?;
        let request = self.request(client).await?;
        client.costs(range.len());
        let (edge, entry) = (Arc::clone(self), Arc::clone(entry));
        self.in_runtime(async move {
            let _request = request;
            edge.metrics.add("voxel_cache_misses_total", 1);
            let fetched = twice(|| edge.fetch_part(&entry, range)).await;
            fetched.inspect_err(|failure| edge.doubt(&entry, failure))
        })
        .await
    }

    /// A request to the origin on behalf of a client, which waits until it has fewer than its share.
    pub(super) async fn request(&self, client: &Arc<Client>) -> Result<Held, Failure> {
        if let Some(request) = client.request_now() {
            return Ok(request);
        }
        let (client, patience) = (Arc::clone(client), self.upstream.longest());
        self.in_runtime(async move { client.request(patience).await }).await
    }

    /// The result of work in the edge's own runtime, which ends when nobody waits for it any more.
    async fn in_runtime<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let mut tasks = JoinSet::new();
        tasks.spawn_on(work, &self.runtime);
        tasks.join_next().await.and_then(Result::ok).unwrap_or_else(broken)
    }

    async fn fetch_once(self: &Arc<Self>, entry: &Arc<Entry>, number: u64, client: &Client) -> Result<Bytes, Failure> {
        let (edge, name) = (Arc::clone(self), block_name(&entry.url, &entry.version, number));
        // Another may have fetched it between the look of who wants it and here.
        if let Ok(Some(bytes)) = task::spawn_blocking(move || edge.store.read(&name)).await {
            return Ok(bytes);
        }
        self.metrics.add("voxel_cache_misses_total", 1);
        let fetched = twice(|| self.fetch_block(entry, number, client)).await;
        fetched.inspect_err(|failure| self.doubt(entry, failure))
    }

    /// Takes note of what a failure says of a file of which a part was asked for.
    fn doubt(&self, entry: &Entry, failure: &Failure) {
        self.count_failure(&entry.url, failure);
        if self.known(&entry.url).is_none_or(|known| known.version != entry.version) {
            return;
        }
        if failure.withdraws() || !entry.version.is_strong() {
            self.forget(&entry.url);
        } else if *failure == Failure::Changed {
            self.learn(entry.expired());
        }
    }

    async fn fetch_block(self: &Arc<Self>, entry: &Entry, number: u64, client: &Client) -> Result<Bytes, Failure> {
        let Entry { url, version, .. } = entry;
        if !version.is_strong() {
            // It came at once, and what is lost of it cannot be joined with the rest.
            return Err(Failure::Changed);
        }
        let asked = block(entry, number);
        let response = self.upstream.get(url, Some(asked), version.if_same()).await?;
        match interpret(&response.head, asked, url)? {
            Answer::Part { size, .. } if version.is_of(&response.head.headers, size) => {
                let may_be_stored = Entry::new(url, version.clone(), &response.head, SystemTime::now()).is_some();
                let (bytes, permit) = self.upstream.read(response, Some(asked.len()), BLOCK_BYTES).await?;
                if may_be_stored {
                    self.keep(blocks(url, version, number, &bytes), permit);
                } else {
                    self.delete(url, version);
                }
                Ok(bytes)
            }
            Answer::Whole { size } if version.is_of(&response.head.headers, size.unwrap_or(version.size)) => {
                if version.size > MOST_WHOLE_BYTES {
                    return Err(without_parts());
                }
                let (bytes, permit) = self.upstream.read(response, Some(version.size), MOST_WHOLE_BYTES).await?;
                client.costs(version.size);
                self.keep(blocks(url, version, 0, &bytes), permit);
                Ok(bytes.slice(asked.start as usize..asked.end as usize))
            }
            _ => Err(Failure::Changed),
        }
    }

    async fn fetch_part(&self, entry: &Entry, range: ByteRange) -> Result<Bytes, Failure> {
        let Entry { url, version, .. } = entry;
        if !version.is_strong() {
            return Err(Failure::Changed);
        }
        let response = self.upstream.get(url, Some(range), version.if_same()).await?;
        match interpret(&response.head, range, url)? {
            Answer::Part { size, .. } if version.is_of(&response.head.headers, size) => {
                Ok(self.upstream.read(response, Some(range.len()), BLOCK_BYTES).await?.0)
            }
            Answer::Whole { .. } => Err(too_little()),
            _ => Err(Failure::Changed),
        }
    }
}

/// The bytes of a block, of which the last of a file has fewer.
fn block(entry: &Entry, number: u64) -> ByteRange {
    let start = number * BLOCK_BYTES;
    ByteRange { start, end: entry.version.size.min(start + BLOCK_BYTES) }
}
