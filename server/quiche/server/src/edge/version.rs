//! A state of a file at the origin: what it is known by, and whether another is the same.

use std::time::SystemTime;

use boring::sha::sha256;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde::{Deserialize, Serialize};

use super::answer::text;

/// Length up to which an etag is passed on.
const MAX_ETAG_BYTES: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    pub size: u64,
    /// The fields of the origin, as it sent them.
    etag: Option<String>,
    last_modified: Option<String>,
    /// The time at which it was first seen.
    seen: SystemTime,
}

impl Version {
    pub fn new(headers: &HeaderMap, size: u64, now: SystemTime) -> Self {
        let field = |name: HeaderName| text(headers, &name).map(str::to_owned);
        Self { size, etag: field(header::ETAG), last_modified: field(header::LAST_MODIFIED), seen: now }
    }

    /// Whether an answer with these fields, to a request for a part, is of this state.
    pub fn is_of(&self, headers: &HeaderMap, size: u64) -> bool {
        let same = |name: &HeaderName, own: &Option<String>| match (text(headers, name), own) {
            (Some(other), Some(own)) => Some(other == own),
            _ => None,
        };
        let by_date = same(&header::LAST_MODIFIED, &self.last_modified);
        size == self.size && same(&header::ETAG, &self.etag).or(by_date).unwrap_or(true)
    }

    /// The name under which blocks of this state are stored, the same whenever it is seen. Without any validator there is
    /// nothing to know it by later.
    pub fn name(&self, url: &str) -> String {
        let seen = if self.etag.is_none() && self.last_modified.is_none() { Some(self.seen) } else { None };
        digest(&[url, &format!("{:?}", (&self.etag, &self.last_modified, self.size, seen))])
    }

    /// A strong validator for clients: that of the origin, where it is strong and simple, else one of its own making.
    pub fn validator(&self, url: &str) -> String {
        let simple = |tag: &&String| {
            let inner = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or_default();
            let plain = |byte: u8| byte.is_ascii_graphic() && !b"\",".contains(&byte);
            !inner.is_empty() && tag.len() <= MAX_ETAG_BYTES && inner.bytes().all(plain)
        };
        self.etag.as_ref().filter(simple).cloned().unwrap_or_else(|| format!("\"edge-{}\"", self.name(url)))
    }

    /// The origin's date, or without one the time at which it was first seen: it is no younger.
    pub fn modified(&self) -> SystemTime {
        let date = self.last_modified.as_deref().and_then(|date| httpdate::parse_http_date(date).ok());
        date.unwrap_or(self.seen)
    }

    /// The origin's own.
    pub fn etag(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.etag.as_deref()?).ok()
    }

    /// Fields of a request for the file unless it is in this state.
    pub fn unless_same(&self) -> Vec<(HeaderName, HeaderValue)> {
        fields([(header::IF_NONE_MATCH, &self.etag), (header::IF_MODIFIED_SINCE, &self.last_modified)])
    }

    /// Fields of a request for the file only if it is in this state. With a weak etag that cannot be asked (RFC 9110
    /// section 13.1.1).
    pub fn if_same(&self) -> Vec<(HeaderName, HeaderValue)> {
        let strong = self.etag.clone().filter(|tag| !tag.starts_with("W/"));
        let date = if self.etag.is_none() { self.last_modified.clone() } else { None };
        fields([(header::IF_MATCH, &strong), (header::IF_UNMODIFIED_SINCE, &date)])
    }
}

fn fields<const N: usize>(fields: [(HeaderName, &Option<String>); N]) -> Vec<(HeaderName, HeaderValue)> {
    let value = |text: &Option<String>| HeaderValue::from_str(text.as_deref()?).ok();
    fields.into_iter().filter_map(|(name, text)| Some((name, value(text)?))).collect()
}

/// 32 hexadecimal digits.
pub fn digest(parts: &[&str]) -> String {
    let bytes = sha256(parts.join("\0").as_bytes());
    bytes[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://a/b";

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        fields.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    fn version(fields: &[(&'static str, &str)]) -> Version {
        Version::new(&headers(fields), 100, SystemTime::UNIX_EPOCH)
    }

    #[test]
    fn clients_get_the_origins_validator_where_it_is_strong_and_simple() {
        assert_eq!(version(&[("etag", "\"5f-64\"")]).validator(URL), "\"5f-64\"");
        for odd in ["W/\"5f-64\"", "\"a,b\"", "\"a b\"", "unquoted", "\"\""] {
            let own = version(&[("etag", odd)]).validator(URL);
            assert!(own.starts_with("\"edge-") && !own.contains(','), "{odd}");
            assert_eq!(own, version(&[("etag", odd)]).validator(URL), "the same on every edge");
        }
        assert_ne!(
            version(&[("last-modified", "x")]).validator(URL),
            version(&[("last-modified", "y")]).validator(URL)
        );
    }

    #[test]
    fn another_validator_or_size_is_another_state() {
        let known = version(&[("etag", "\"1\""), ("last-modified", "x")]);
        for (fields, size, same) in [
            (&[("etag", "\"1\""), ("last-modified", "y")][..], 100, true),
            (&[("etag", "\"2\""), ("last-modified", "x")], 100, false),
            (&[("etag", "\"1\"")], 101, false),
            (&[("last-modified", "x")], 100, true),
            (&[("last-modified", "y")], 100, false),
            (&[], 100, true),
        ] {
            assert_eq!(known.is_of(&headers(fields), size), same, "{fields:?} {size}");
        }
    }

    #[test]
    fn a_weak_etag_asks_whether_it_changed_but_not_for_the_same() {
        let weak = version(&[("etag", "W/\"1\""), ("last-modified", "x")]);
        assert_eq!(weak.unless_same().len(), 2);
        assert!(weak.if_same().is_empty());
        assert_eq!(version(&[("etag", "\"1\"")]).if_same()[0].0, header::IF_MATCH);
        assert_eq!(version(&[("last-modified", "x")]).if_same()[0].0, header::IF_UNMODIFIED_SINCE);
    }
}
