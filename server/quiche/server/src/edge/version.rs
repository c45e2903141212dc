//! A state of a file at the origin: what it is known by, and whether another is the same.

use std::time::{Duration, SystemTime};

use boring::sha::sha256;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde::{Deserialize, Serialize};

use super::answer::text;

/// Time between which dates differ. An origin's own clock has set both.
const DATE_STEP: Duration = Duration::from_secs(1);

/// Length up to which an etag is passed on.
const MAX_ETAG_BYTES: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    pub size: u64,
    /// The fields of the origin, as it sent them.
    etag: Option<String>,
    last_modified: Option<String>,
    /// Whether the file cannot have changed twice in the second of `last_modified` (RFC 9110 section 8.8.2.2).
    date_is_strong: bool,
    /// The time at which it was first seen.
    seen: SystemTime,
}

impl Version {
    pub fn new(headers: &HeaderMap, size: u64, now: SystemTime) -> Self {
        let field = |name: HeaderName| text(headers, &name).map(str::to_owned);
        let date = |name| httpdate::parse_http_date(text(headers, &name)?).ok();
        let date_is_strong = match (date(header::LAST_MODIFIED), date(header::DATE)) {
            (Some(modified), Some(date)) => date.duration_since(modified).is_ok_and(|age| age >= DATE_STEP),
            _ => false,
        };
        let (etag, last_modified) = (field(header::ETAG), field(header::LAST_MODIFIED));
        Self { size, etag, last_modified, date_is_strong, seen: now }
    }

    fn strong_etag(&self) -> Option<&String> {
        self.etag.as_ref().filter(|tag| !tag.starts_with("W/"))
    }

    /// Whether the origin gives a validator by which parts of this state may be joined (RFC 9110 section 8.8.1).
    pub fn is_strong(&self) -> bool {
        self.strong_etag().is_some() || self.date_is_strong
    }

    /// Whether an answer with these fields, to a request for a part, is surely of this state.
    pub fn is_of(&self, headers: &HeaderMap, size: u64) -> bool {
        let etag = text(headers, &header::ETAG);
        let same_etag = etag == self.etag.as_deref();
        let by_etag = self.strong_etag().is_some() && same_etag;
        // An etag that is there must be the same even if it is weak.
        let no_other_etag = same_etag || etag.is_none() || self.etag.is_none();
        let same_date = text(headers, &header::LAST_MODIFIED) == self.last_modified.as_deref();
        size == self.size && (by_etag || (self.date_is_strong && same_date && no_other_etag))
    }

    /// The name under which blocks of this state are stored, the same whenever it is seen. Without a strong validator there
    /// is nothing to know it by later.
    pub fn name(&self, url: &str) -> String {
        let seen = if self.is_strong() { None } else { Some(self.seen) };
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

    /// Fields of a request for the file only if it is in this state, of which one is strong.
    pub fn if_same(&self) -> Vec<(HeaderName, HeaderValue)> {
        let etag = self.strong_etag().cloned();
        let date = if etag.is_none() { self.last_modified.clone().filter(|_| self.date_is_strong) } else { None };
        fields([(header::IF_MATCH, &etag), (header::IF_UNMODIFIED_SINCE, &date)])
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
        }
        assert_eq!(version(&DATED).validator(URL), version(&DATED).validator(URL), "the same on every edge");
        assert_ne!(version(&DATED).validator(URL), version(&[DATED[0], OTHER_DATE, NOW]).validator(URL));
    }

    const DATE: (&str, &str) = ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT");
    const OTHER_DATE: (&str, &str) = ("last-modified", "Sun, 06 Nov 1994 08:49:36 GMT");
    const NOW: (&str, &str) = ("date", "Sun, 06 Nov 1994 08:49:38 GMT");
    const SAME_SECOND: (&str, &str) = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
    const ONE: (&str, &str) = ("etag", "\"1\"");
    const OTHER: (&str, &str) = ("etag", "\"2\"");
    const WEAK: (&str, &str) = ("etag", "W/\"1\"");
    const DATED: [(&str, &str); 3] = [("x", "y"), DATE, NOW];

    #[test]
    fn only_an_equal_strong_validator_says_that_it_is_the_same_state() {
        for (known, sent, size, same) in [
            (&[ONE, DATE][..], &[ONE, OTHER_DATE][..], 100, true),
            (&[ONE, DATE], &[OTHER, DATE], 100, false),
            (&[ONE], &[ONE], 101, false),
            (&[ONE, DATE, NOW], &[DATE], 100, true),
            (&[ONE, DATE, SAME_SECOND], &[DATE], 100, false),
            (&[ONE, DATE], &[], 100, false),
            (&[DATE, NOW], &[DATE], 100, true),
            (&[DATE, NOW], &[OTHER_DATE], 100, false),
            (&[DATE, SAME_SECOND], &[DATE], 100, false),
            (&[WEAK], &[WEAK], 100, false),
            (&[WEAK, DATE, NOW], &[WEAK, DATE], 100, true),
            (&[WEAK, DATE, NOW], &[ONE, DATE], 100, false),
            (&[], &[], 100, false),
        ] {
            assert_eq!(version(known).is_of(&headers(sent), size), same, "{known:?} {sent:?} {size}");
        }
    }

    #[test]
    fn a_weak_validator_asks_whether_it_changed_but_not_for_the_same() {
        let weak = version(&[WEAK, DATE, SAME_SECOND]);
        assert_eq!(weak.unless_same().len(), 2);
        assert!(weak.if_same().is_empty() && !weak.is_strong());
        assert_eq!(version(&[ONE]).if_same()[0].0, header::IF_MATCH);
        assert_eq!(version(&[WEAK, DATE, NOW]).if_same()[0].0, header::IF_UNMODIFIED_SINCE);
        let later = Version::new(&headers(&[WEAK]), 100, SystemTime::now());
        assert_ne!(later.name(URL), version(&[WEAK]).name(URL), "nothing of it may be joined later");
    }
}
