//! Which web pages may use the server: the origin policy and its CORS headers.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::error::{HttpError, Status};
use crate::request;

const ANY: &str = "*";

/// What a page's address is compared by (RFC 6454).
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Origin {
    secure: bool,
    host: String,
    port: u16,
}

impl Origin {
    /// The origin in a text, of `http` or `https`; `None` for anything else, as `null` is.
    fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let host = host_name(authority)?;
        let port = match &authority[host.len()..] {
            "" if secure => 443,
            "" => 80,
            port => port[1..].parse().ok()?,
        };
        Some(Self { secure, host, port })
    }
}

const EXPOSED_HEADERS: &str = "content-length, content-range, accept-ranges, etag, date";

/// Headers of HTTP's own that web pages may send.
const HTTP_HEADERS: [&str; 7] =
    ["range", "if-range", "if-match", "cmcd-request", "cmcd-object", "cmcd-status", "cmcd-session"];

/// The `host` of `host[:port]`, in lower case and with an IPv6 address's brackets; `None` when malformed.
pub fn host_name(authority: &str) -> Option<String> {
    let end = if authority.starts_with('[') {
        authority.find(']')? + 1
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    let (host, port) = authority.split_at(end);
    let port_well_formed = port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|digits| digits.len() <= 5 && digits.bytes().all(|byte| byte.is_ascii_digit()));
    let allowed = |byte: u8| match host.as_bytes()[0] {
        b'[' => byte.is_ascii_hexdigit() || b"[:.]".contains(&byte),
        _ => byte.is_ascii_alphanumeric() || b"._-".contains(&byte),
    };
    let well_formed = !host.is_empty() && host != "[]" && host.bytes().all(allowed) && port_well_formed;
    well_formed.then(|| host.to_ascii_lowercase())
}

/// True for localhost and the addresses of this machine's loopback interface.
pub fn is_loopback(name: &str) -> bool {
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// The authority of an origin or URL, `host:port` of `https://host:port/…`.
pub fn authority_of(url: &str) -> Option<&str> {
    url.split_once("://")?.1.split(['/', '?', '#']).next()
}

/// An origin in the operator's list that is not in the form that browsers send.
#[derive(Debug, thiserror::Error)]
#[error("an origin must be like https://host or https://host:port, got '{0}'")]
pub struct BadOrigin(String);

/// The origins whose pages may read responses and open sessions.
///
/// Without a list: pages of the same host name on any port, and pages of this machine when the request is for a
/// loopback name; of `http` only where the server itself speaks it. A client without an Origin header is not a browser
/// and is allowed.
#[derive(Debug, Default)]
pub struct OriginPolicy {
    any: bool,
    allowed: BTreeSet<Origin>,
    plain: bool,
    hosts: Option<BTreeSet<String>>,
    /// Headers with which pages may say who asks; `None`: nobody needs to know, and cookies are not for other origins.
    credentials: Option<Vec<String>>,
}

impl OriginPolicy {
    /// The policy of these options. `allowed`: origins like `https://host:port`, or `*`. `plain`: whether the server
    /// speaks plain HTTP.
    ///
    /// `own_hosts`: the names that requests may have as Host, besides loopback names and the names in `allowed`;
    /// `None`: any name. On a loopback address this refuses pages whose own name was made to resolve to this machine
    /// (DNS rebinding): to the browser their requests have the same origin.
    pub fn new(
        allowed: &BTreeSet<String>,
        plain: bool,
        own_hosts: Option<BTreeSet<String>>,
    ) -> Result<Self, BadOrigin> {
        let any = allowed.contains(ANY);
        let listed = allowed.iter().filter(|origin| *origin != ANY);
        let parsed = listed.map(|origin| Origin::parse(origin).ok_or_else(|| BadOrigin(origin.clone())));
        let allowed = parsed.collect::<Result<BTreeSet<_>, _>>()?;
        let listed = allowed.iter().map(|origin| origin.host.clone());
        let hosts = own_hosts.filter(|_| !any).map(|own| own.into_iter().chain(listed).collect());
        Ok(Self { any, allowed, plain, hosts, credentials: None })
    }

    /// The same where it matters who asks: pages may send `authorization` and headers of these names, and cookies where they are
    /// not of just any origin.
    #[must_use]
    pub fn with_credentials(mut self, names: &[String]) -> Self {
        self.credentials =
            Some(["authorization"].map(str::to_owned).into_iter().chain(names.iter().cloned()).collect());
        self
    }

    /// Headers of a preflight response, besides the origin. Chromium caches it for at most 7200 s.
    pub fn preflight_headers(&self) -> [(&'static str, String); 3] {
        let own = [&HTTP_HEADERS[..], &request::HEADERS].concat();
        let credentials = self.credentials.iter().flatten().map(String::as_str);
        let all: Vec<_> = own.into_iter().chain(credentials).collect();
        [
            ("access-control-allow-methods", "GET, HEAD, OPTIONS".to_owned()),
            ("access-control-allow-headers", all.join(", ")),
            ("access-control-max-age", "7200".to_owned()),
        ]
    }

    /// A policy for no pages of other hosts; `own_hosts` as in [`OriginPolicy::new`].
    pub fn of_hosts(hosts: Option<BTreeSet<String>>) -> Self {
        Self { hosts, ..Self::default() }
    }

    /// Refuses a malformed Host with 400 and a name that is not the server's with 403.
    pub fn check_host(&self, authority: &str) -> Result<(), HttpError> {
        let name = host_name(authority).ok_or_else(|| HttpError::bad_request("malformed host"))?;
        match &self.hosts {
            Some(hosts) if !hosts.contains(&name) && !is_loopback(&name) => {
                Err(HttpError::new(Status::Forbidden, "host not allowed"))
            }
            _ => Ok(()),
        }
    }

    /// Whether pages of this origin may use the server. `authority`: the request's Host.
    pub fn allows(&self, origin: Option<&str>, authority: &str) -> bool {
        let Some(origin) = origin else { return true };
        if self.any {
            return true;
        }
        let Some(origin) = Origin::parse(origin) else { return false };
        if !self.allowed.is_empty() {
            return self.allowed.contains(&origin);
        }
        match host_name(authority) {
            Some(own) if origin.secure || self.plain => {
                origin.host == own || (is_loopback(&origin.host) && is_loopback(&own))
            }
            _ => false,
        }
    }

    /// The CORS and timing headers of a response to that origin.
    pub fn response_headers(&self, origin: Option<&str>, authority: &str) -> Vec<(&'static str, String)> {
        let mut headers = vec![("vary", "origin".to_owned())];
        if let Some(origin) = origin.filter(|origin| self.allows(Some(origin), authority)) {
            headers.push(("access-control-allow-origin", origin.to_owned()));
            headers.push(("access-control-expose-headers", EXPOSED_HEADERS.to_owned()));
            headers.push(("timing-allow-origin", origin.to_owned()));
            if self.credentials.is_some() && !self.any {
                headers.push(("access-control-allow-credentials", "true".to_owned()));
            }
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn host_names() {
        for (authority, name) in [
            ("Player.Example:80", Some("player.example")),
            ("[::1]:443", Some("[::1]")),
            ("127.0.0.1", Some("127.0.0.1")),
            ("", None),
            ("a b", None),
            ("a:b", None),
            ("a:123456", None),
            ("[]", None),
            ("[::1", None),
            ("a/b", None),
        ] {
            assert_eq!(host_name(authority).as_deref(), name, "{authority}");
        }
    }

    #[test]
    fn without_a_list_pages_of_the_same_host_are_let_in() {
        let policy = OriginPolicy::new(&BTreeSet::new(), true, None).unwrap();
        assert!(policy.allows(None, "a.example"));
        assert!(policy.allows(Some("https://a.example:8443"), "a.example:4433"));
        assert!(policy.allows(Some("http://localhost:5000"), "127.0.0.1:4433"));
        assert!(!policy.allows(Some("https://b.example"), "a.example"));
        assert!(!policy.allows(Some("null"), "a.example"));
        let secure = OriginPolicy::new(&BTreeSet::new(), false, None).unwrap();
        assert!(secure.allows(Some("https://a.example:8443"), "a.example:4433"));
        assert!(
            !secure.allows(Some("http://a.example"), "a.example"),
            "anybody on the way could have written the page"
        );
    }

    #[test]
    fn listed_origins_are_compared_by_scheme_host_and_port() {
        let policy = OriginPolicy::new(&set(&["https://a.example", "http://b.example:8080"]), true, None).unwrap();
        for (origin, allowed) in [
            ("https://a.example", true),
            ("https://a.example:443", true),
            ("https://A.example", true),
            ("http://a.example", false),
            ("https://a.example:8443", false),
            ("https://sub.a.example", false),
            ("http://b.example:8080", true),
            ("http://b.example", false),
            ("null", false),
        ] {
            assert_eq!(policy.allows(Some(origin), "a.example"), allowed, "{origin}");
        }
    }

    #[test]
    fn on_loopback_only_names_of_this_machine_and_listed_ones_are_answered() {
        let policy = OriginPolicy::new(&set(&["http://b.example"]), true, Some(set(&["a.example"]))).unwrap();
        for (authority, answered) in
            [("a.example", true), ("b.example:80", true), ("[::1]", true), ("evil.example", false)]
        {
            assert_eq!(policy.check_host(authority).is_ok(), answered, "{authority}");
        }
    }

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        for origin in
            ["player.example", "https://a.example/", "ftp://a.example", "https://", "https://a.example:99999", "null"]
        {
            assert!(OriginPolicy::new(&set(&[origin]), true, None).is_err(), "{origin}");
        }
        assert!(OriginPolicy::new(&set(&["*", "https://a.example:1"]), true, None).is_ok());
    }
}
