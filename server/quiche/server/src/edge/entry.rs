//! What is known of a file, and how long it may be used (RFC 9111).

use std::time::{Duration, SystemTime};

use http::response::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, header};
use http_cache_semantics::{CacheOptions, CachePolicy};
use serde::{Deserialize, Serialize};

use super::version::Version;

/// The longest time that counts (RFC 9111 section 1.2.2 lets a cache choose).
const MOST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Digits of an `Age` that makes sense.
const AGE_DIGITS: usize = 9;

/// Longest time for which a file is fresh where the origin does not say: a tenth of its age, as caches usually have it,
/// but at most this. A replaced file should not be missed for days.
const MOST_BY_AGE: Duration = Duration::from_secs(60);

/// The same without an age.
const WITHOUT_AGE: Duration = Duration::from_secs(10);

/// Time until an origin that did not answer is asked again about a file that is served without its answer.
const NEXT_TRY: Duration = Duration::from_secs(5);

/// Fields that freshness depends on, apart from `vary` and `set-cookie`. Nothing else of an answer is kept.
const KEPT: [HeaderName; 6] =
    [header::AGE, header::CACHE_CONTROL, header::DATE, header::EXPIRES, header::LAST_MODIFIED, header::PRAGMA];

/// Directives that leave no choice of how long an answer is fresh.
const EXPLICIT: [&str; 8] =
    ["max-age", "s-maxage", "no-cache", "no-store", "private", "proxy-revalidate", "must-revalidate", "immutable"];

/// Directives that forbid to use what is not fresh, even if the origin cannot be reached (RFC 9111 section 4.2.4).
const NEVER_STALE: [&str; 4] = ["no-cache", "must-revalidate", "proxy-revalidate", "s-maxage"];

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub url: String,
    pub version: Version,
    /// What the origin said that freshness depends on.
    fields: Vec<(String, String)>,
    /// When the origin was last asked. Before that nothing is fresh: a clock that was ahead then has been put right.
    asked: SystemTime,
    fresh_until: SystemTime,
    may_be_stale: bool,
}

impl Entry {
    /// What an answer with all or a part of the file says, which both say as much of its freshness. `None`: it may not
    /// be stored.
    pub fn new(url: &str, version: Version, head: &Parts, now: SystemTime) -> Option<Self> {
        Self::with_fields(url, version, &kept(&head.headers), now)
    }

    /// The entry after the origin has answered 304; `None`: it may no longer be stored. What a 304 says replaces what was
    /// said before (RFC 9111 section 3.2), and age and date are of one answer.
    pub fn revalidated(&self, head: &Parts, now: SystemTime) -> Option<Self> {
        let new = kept(&head.headers);
        let of_one_answer = [header::AGE, header::DATE];
        let mut merged = HeaderMap::new();
        for (name, value) in &self.fields {
            let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) else { continue };
            if !new.contains_key(&name) && !of_one_answer.contains(&name) {
                merged.append(name, value);
            }
        }
        for (name, value) in &new {
            merged.append(name, value.clone());
        }
        Self::with_fields(&self.url, self.version.clone(), &merged, now)
    }

    fn with_fields(url: &str, version: Version, headers: &HeaderMap, now: SystemTime) -> Option<Self> {
        let mut answer = Response::new(());
        *answer.headers_mut() = headers.clone();
        let policy = CachePolicy::new_options(&request(url), &answer, now, CacheOptions::default());
        if !policy.is_storable() {
            return None;
        }
        let said = policy.time_to_live(now).min(MOST);
        let lifetime = match (is_explicit(headers), headers.contains_key(header::LAST_MODIFIED)) {
            (true, _) => said,
            (false, true) => said.min(MOST_BY_AGE),
            (false, false) => WITHOUT_AGE,
        };
        let never_stale = NEVER_STALE.iter().any(|name| has_directive(headers, name));
        let may_be_stale = !never_stale && !headers.contains_key(header::VARY);
        let field = |(name, value): (&HeaderName, &HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        let fields = headers.iter().filter_map(field).collect();
        Some(Self { url: url.to_owned(), version, fields, asked: now, fresh_until: now + lifetime, may_be_stale })
    }

    /// Whether it may be used without asking the origin.
    pub fn is_fresh(&self, now: SystemTime) -> bool {
        (self.asked..self.fresh_until).contains(&now)
    }

    /// The entry to be used instead of the answer that the origin did not give; `None`: it may not be.
    pub fn without_the_origin(&self, now: SystemTime) -> Option<Self> {
        self.may_be_stale.then(|| Self { asked: now, fresh_until: now + NEXT_TRY, ..self.clone() })
    }

    /// The entry when the file is known to be in another state: the origin is asked next time.
    pub fn expired(&self) -> Self {
        Self { fresh_until: SystemTime::UNIX_EPOCH, ..self.clone() }
    }
}

fn request(url: &str) -> Request<()> {
    let mut request = Request::new(());
    // An address that was made from a well-formed one.
    *request.uri_mut() = url.parse().unwrap_or_default();
    request
}

/// What is kept of an answer's fields, as the rules of RFC 9111 are applied to it: they know directives in lower case only,
/// and a `vary` of one line.
fn kept(headers: &HeaderMap) -> HeaderMap {
    let mut kept = HeaderMap::new();
    for name in KEPT {
        for value in headers.get_all(&name) {
            kept.append(name.clone(), if name == header::CACHE_CONTROL { plain(value) } else { value.clone() });
        }
    }
    if kept.get(header::AGE).is_some_and(|age| age.len() > AGE_DIGITS) {
        kept.remove(header::AGE);
    }
    // The edge sends the same fields to all addresses, so that nothing else can vary its answers.
    if headers.get_all(header::VARY).iter().any(|value| value.as_bytes().split(|it| *it == b',').any(is_star)) {
        kept.insert(header::VARY, HeaderValue::from_static("*"));
    }
    // A cookie counts by being there; it is somebody's secret.
    if headers.contains_key(header::SET_COOKIE) {
        kept.insert(header::SET_COOKIE, HeaderValue::from_static(""));
    }
    kept
}

fn is_star(item: &[u8]) -> bool {
    item.trim_ascii() == b"*"
}

/// Directives in lower case. What is no text hides none of those beside it.
fn plain(value: &HeaderValue) -> HeaderValue {
    let byte = |byte: &u8| if byte.is_ascii() { byte.to_ascii_lowercase() } else { b'?' };
    let plain: Vec<_> = value.as_bytes().iter().map(byte).collect();
    HeaderValue::try_from(plain).unwrap_or_else(|_| value.clone())
}

fn is_explicit(headers: &HeaderMap) -> bool {
    let decisive = [header::EXPIRES, header::PRAGMA, header::SET_COOKIE, header::VARY];
    decisive.iter().any(|name| headers.contains_key(name)) || EXPLICIT.iter().any(|name| has_directive(headers, name))
}

fn has_directive(headers: &HeaderMap, name: &str) -> bool {
    let values = headers.get_all(header::CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let directives = values.flat_map(|value| value.split(','));
    directives.filter_map(|it| it.split('=').next()).any(|it| it.trim().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: u64 = 1_700_000_000;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn head(status: u16, fields: &[(&str, &str)]) -> Parts {
        let date = httpdate::fmt_http_date(at(NOW));
        let start = Response::builder().status(status).header("date", date);
        let builder = fields.iter().fold(start, |it, (name, value)| it.header(*name, *value));
        builder.body(()).unwrap().into_parts().0
    }

    fn entry(fields: &[(&str, &str)]) -> Option<Entry> {
        let head = head(206, fields);
        Entry::new("http://a/b", Version::new(&head.headers, 100, at(NOW)), &head, at(NOW))
    }

    /// Seconds for which an answer with these fields is used.
    fn lifetime(fields: &[(&str, &str)]) -> u64 {
        let entry = entry(fields).unwrap();
        (0..10_000).find(|seconds| !entry.is_fresh(at(NOW + seconds))).unwrap()
    }

    #[test]
    fn what_the_origin_says_counts_and_else_a_tenth_of_the_age_within_a_minute() {
        let (last_year, just_now) =
            (httpdate::fmt_http_date(at(NOW - 30_000_000)), httpdate::fmt_http_date(at(NOW - 50)));
        for (fields, seconds) in [
            (&[("cache-control", "max-age=300")][..], 300),
            (&[("cache-control", "public, S-MaxAge=20, max-age=300")], 20),
            (&[("cache-control", "max-age=300"), ("age", "100")], 200),
            (&[("cache-control", "no-cache"), ("last-modified", &last_year)], 0),
            (&[("last-modified", &last_year)], 60),
            (&[("last-modified", &just_now)], 5),
            (&[("etag", "\"1\"")], 10),
        ] {
            assert_eq!(lifetime(fields), seconds, "{fields:?}");
        }
    }

    #[test]
    fn what_has_no_part_in_freshness_is_not_kept() {
        let entry = entry(&[("etag", "\"1\""), ("set-cookie", "session=secret"), ("x-padding", "secret")]).unwrap();
        assert!(!entry.is_fresh(at(NOW)), "a cookie without `public`");
        assert!(!serde_json::to_string(&entry).unwrap().contains("secret"));
    }

    proptest! {
        #[test]
        fn no_field_makes_it_panic_or_stay_fresh_for_more_than_a_year(
            date in "(Mon, 01 Jan (0000|1800|1969|2024|9999) 00:00:00 (GMT|-9959))|.{0,9}",
            number in "[-0-9]{0,20}",
            directive in "(max-age|s-maxage|stale-if-error|pre-check|post-check|public|immutable|[a-z\",=]{0,9})",
            name in "(age|date|expires|last-modified|pragma|vary|connection|warning)",
        ) {
            let control = format!("{directive}={number}, post-check={number}, pre-check={number}");
            let values = [("cache-control", control.as_str()), (&name, &date), ("expires", &date), ("date", &date), ("age", &number)];
            let sent: Vec<_> = values.into_iter().filter(|(_, value)| HeaderValue::from_str(value).is_ok()).collect();
            if let Some(entry) = entry(&sent) {
                let again = entry.revalidated(&head(304, &sent), at(NOW));
                for entry in [Some(entry), again].into_iter().flatten() {
                    prop_assert!(!entry.is_fresh(at(NOW + MOST.as_secs() + 1)));
                }
            }
        }
    }

    #[test]
    fn absurd_numbers_are_bounded() {
        let entry =
            entry(&[("cache-control", "max-age=18446744073709551615"), ("age", "18446744073709551615")]).unwrap();
        assert!(entry.is_fresh(at(NOW + 1000)) && !entry.is_fresh(at(NOW + MOST.as_secs() + 1)));
    }

    #[test]
    fn what_may_not_be_stored_has_no_entry() {
        for forbidden in ["no-store", "private, max-age=100"] {
            assert!(entry(&[("cache-control", forbidden)]).is_none(), "{forbidden}");
        }
    }

    #[test]
    fn without_the_origin_files_are_used_further_unless_that_is_forbidden() {
        for (directive, allowed) in
            [("max-age=1", true), ("max-age=1, must-revalidate", false), ("no-cache", false), ("s-maxage=1", false)]
        {
            let entry = entry(&[("cache-control", directive)]).unwrap();
            assert_eq!(entry.without_the_origin(at(NOW + 100)).is_some(), allowed, "{directive}");
        }
    }

    #[test]
    fn a_304_makes_it_fresh_again_and_leaves_the_version() {
        let old = entry(&[("cache-control", "max-age=10"), ("etag", "\"1\"")]).unwrap();
        let head = head(304, &[("cache-control", "max-age=20"), ("etag", "\"1\"")]);
        let new = old.revalidated(&head, at(NOW + 100)).unwrap();
        assert!(!old.is_fresh(at(NOW + 100)) && new.is_fresh(at(NOW + 119)) && !new.is_fresh(at(NOW + 121)));
        assert_eq!(new.version, old.version);
        assert!(!new.expired().is_fresh(at(NOW + 100)));
    }

    #[test]
    fn what_a_304_says_replaces_what_was_said_before() {
        let old = entry(&[("age", "7"), ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT")]).unwrap();
        let after = |fields: &[(&str, &str)]| old.revalidated(&head(304, fields), at(NOW));
        assert!(after(&[("cache-control", "no-store, private")]).is_none());
        assert!(
            after(&[("cache-control", "max-age=1"), ("cache-control", "no-store")]).is_none(),
            "on the second line"
        );
        let longer = after(&[("cache-control", "max-age=300")]).unwrap();
        assert!(longer.is_fresh(at(NOW + 299)), "its age is not that of the answer before");
    }

    #[test]
    fn what_comes_from_the_future_is_not_fresh() {
        const YEAR: u64 = 365 * 24 * 3600;
        let fields = [("cache-control", "max-age=300")];
        let head = head(206, &fields);
        let ahead = Entry::new("http://a/b", Version::new(&head.headers, 100, at(NOW)), &head, at(NOW + YEAR)).unwrap();
        assert!(ahead.is_fresh(at(NOW + YEAR)) && !ahead.is_fresh(at(NOW)));
        let stored: Entry = serde_json::from_slice(&serde_json::to_vec(&ahead).unwrap()).unwrap();
        assert!(!stored.is_fresh(at(NOW)));
        let without = stored.without_the_origin(at(NOW)).unwrap();
        assert!(without.is_fresh(at(NOW)), "where the origin was asked in vain");
    }

    #[test]
    fn every_line_of_vary_and_all_directives_count() {
        let varies = entry(&[("cache-control", "max-age=300"), ("vary", "accept-encoding"), ("vary", "origin, *")]);
        assert!(!varies.as_ref().unwrap().is_fresh(at(NOW)));
        assert!(varies.unwrap().without_the_origin(at(NOW)).is_none());
        assert!(entry(&[("cache-control", "max-age=300"), ("vary", "accept-encoding")]).unwrap().is_fresh(at(NOW)));
        assert!(entry(&[("cache-control", "x=é, no-store")]).is_none());
    }
}
