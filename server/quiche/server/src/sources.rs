//! Where files are: in the folders, or at the origin of an edge.

use std::net::IpAddr;
use std::sync::Arc;

use crate::edge::Edge;
use crate::files::{MediaFile, Mounts};
use crate::open_error::OpenError;

#[derive(Clone, Debug)]
pub struct Sources {
    pub mounts: Arc<Mounts>,
    /// The edge that has all files that are not below one of the folders.
    pub edge: Option<Arc<Edge>>,
}

impl Sources {
    /// The edge that has the file of a request path; `None`: it is in a folder.
    pub fn edge_of(&self, path: &str) -> Option<&Arc<Edge>> {
        self.edge.as_ref().filter(|_| !self.mounts.cover(path))
    }

    /// The file of a request path (without query; percent-encoded), for the client at an address. `follows`: whether it is
    /// asked for as one that may grow.
    pub async fn open(&self, path: &str, client: IpAddr, follows: bool) -> Result<MediaFile, OpenError> {
        match self.edge_of(path) {
            Some(edge) => edge.open(path, client, follows).await,
            None => self.mounts.open(path),
        }
    }
}
