//! Files that have come as a whole in another way than as blocks.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::{Method, StatusCode, header};
use tokio::task;

use super::{blocks, entry_name, json};
use crate::edge::Edge;
use crate::edge::answer::{number, text};
use crate::edge::entry::Entry;
use crate::edge::failure::Failure;
use crate::edge::version::Version;

impl Edge {
    /// Stores a file of which the origin tells no more than its head. `None`: it may not be stored, or is another by now.
    pub(in crate::edge) async fn keep_whole(
        self: &Arc<Self>,
        url: &str,
        bytes: &Bytes,
    ) -> Result<Option<Arc<Entry>>, Failure> {
        let (head, _) = self.upstream.ask(Method::HEAD, url, None, Vec::new()).await?;
        let length = text(&head.headers, &header::CONTENT_LENGTH).map(number).transpose()?;
        if head.status != StatusCode::OK || length != Some(bytes.len() as u64) {
            return Ok(None);
        }
        let version = Version::new(&head.headers, bytes.len() as u64, SystemTime::now());
        let Some(entry) = Entry::new(url, version.clone(), &head, SystemTime::now()) else { return Ok(None) };
        let mut files = blocks(url, &version, 0, bytes);
        files.push((entry_name(url), json(&entry)?));
        let edge = Arc::clone(self);
        let stored = task::spawn_blocking(move || {
            for (name, bytes) in files {
                edge.store.put(&name, bytes);
                edge.store.write(&name);
            }
            edge.metrics.set("voxel_cache_bytes", edge.store.bytes() as i64);
        });
        stored.await.map_err(|_| Failure::Bad("the edge failed".to_owned()))?;
        Ok(Some(self.learn(entry)))
    }
}
