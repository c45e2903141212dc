//! A WebTransport session, and which clients may open one.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use sfv::{BareItem, List, ListEntry, Parser};
use voxel_protocol::VERSION;
use voxel_protocol::authorization::OpenedBy;
use voxel_protocol::capsules::CapsuleReader;
use voxel_protocol::discovery::ENDPOINT_PATH;
use voxel_protocol::error::{HttpError, Status};
use voxel_protocol::path::percent_decoded;
use voxel_protocol::request::RequestReader;
use voxel_protocol::scheduler::Scheduler;

use crate::http3::Head;
use crate::metrics::Counted;
use crate::places::Place;
use crate::site::Site;

/// The CONNECT request's :protocol, up to draft-ietf-webtrans-http3-14 and since.
const WEBTRANSPORT_TOKENS: [&str; 2] = ["webtransport", "webtransport-h3"];

/// The one session of a connection.
#[derive(Debug)]
pub struct Session {
    /// The stream of its CONNECT request.
    pub id: u64,
    pub scheduler: Scheduler,
    /// Readers by stream, until the client ends it. `None` after the response: further bytes are ignored.
    pub readers: HashMap<u64, Option<RequestReader>>,
    pub last_request: Instant,
    /// What its requests have in common.
    pub opened: Arc<OpenedBy>,
    /// What the client says on the stream of its CONNECT request.
    pub capsules: CapsuleReader,
    _place: Place,
    _counted: Counted,
}

impl Session {
    pub fn new(id: u64, now: Instant, head: &Head, (place, counted): (Place, Counted)) -> Self {
        let origin = head.headers.get("origin").map(str::to_owned);
        let opened = Arc::new(OpenedBy { target: head.target.clone(), authority: head.authority.clone(), origin });
        let (scheduler, readers) = (Scheduler::default(), HashMap::new());
        let capsules = CapsuleReader::default();
        Self { id, scheduler, readers, last_request: now, opened, capsules, _place: place, _counted: counted }
    }
}

/// The protocol to answer a CONNECT request with, if the client offers any. Refuses a request that may not open a
/// session.
pub fn check(site: &Site, head: &Head) -> Result<Option<&'static str>, HttpError> {
    let (path, query) = head.target.split_once('?').unwrap_or((&head.target, ""));
    let protocol_known = head.protocol.as_deref().is_some_and(|protocol| WEBTRANSPORT_TOKENS.contains(&protocol));
    if site.discovery.is_none() || path != ENDPOINT_PATH || !protocol_known {
        return Err(HttpError::new(Status::NotFound, "no such endpoint"));
    }
    site.refuse_while_draining()?;
    site.origins.check_host(&head.authority)?;
    if !site.origins.allows(head.headers.get("origin"), &head.authority) {
        return Err(HttpError::new(Status::Forbidden, "origin not allowed"));
    }
    if let Some(token) = &site.token
        && !carries(query, token)
    {
        return Err(HttpError::new(Status::Forbidden, "wrong or missing token"));
    }
    chosen_protocol(head.headers.get("wt-available-protocols"))
}

/// Whether the query's `token` parameter is the token. Compares in constant time.
fn carries(query: &str, token: &str) -> bool {
    let given = query.split('&').find_map(|parameter| parameter.strip_prefix("token="));
    let given = percent_decoded(&given.unwrap_or_default().replace('+', " "));
    given.len() == token.len() && boring::memcmp::eq(&given, token.as_bytes())
}

/// This server's protocol if the client offers it, `None` if it offers no protocol. Refuses a client that offers only
/// others.
fn chosen_protocol(offered: Option<&str>) -> Result<Option<&'static str>, HttpError> {
    let Some(offered) = offered else { return Ok(None) };
    let names_ours = |entry: &ListEntry| match entry {
        ListEntry::Item(item) => matches!(&item.bare_item, BareItem::String(name) if name.as_str() == VERSION),
        ListEntry::InnerList(_) => false,
    };
    match Parser::new(offered).parse::<List>() {
        Ok(list) if list.iter().any(names_ours) => Ok(Some(VERSION)),
        _ => Err(HttpError::bad_request(format!("this server speaks {VERSION} only"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_compared_as_it_was_before_it_was_put_into_a_url() {
        for (query, matches) in [("token=a%20b", true), ("x=1&token=a+b", true), ("token=a", false), ("", false)] {
            assert_eq!(carries(query, "a b"), matches, "{query}");
        }
    }

    #[test]
    fn the_client_must_offer_our_version_or_nothing() {
        assert_eq!(chosen_protocol(None), Ok(None));
        assert_eq!(chosen_protocol(Some("\"voxel-2\", \"voxel-1\"")), Ok(Some("voxel-1")));
        for offered in ["\"moq-00\"", "voxel", "", "(\"voxel-1\")", "\""] {
            assert!(chosen_protocol(Some(offered)).is_err(), "{offered}");
        }
    }
}
