//! The target of an HTTP/1.1 request (RFC 9112 section 3.2).

use crate::origin::host_name;

/// The authority that is asked, and path and query; `host` is the Host header.
///
/// A server must accept the absolute form, too; its authority stands above a well-formed Host (section 3.2.2).
pub fn effective_target(target: &str, host: &str) -> (String, String) {
    let rest = target
        .split_once("://")
        .filter(|(scheme, _)| ["http", "https"].iter().any(|it| scheme.eq_ignore_ascii_case(it)));
    let Some((_, rest)) = rest.filter(|_| host_name(host).is_some()) else {
        return (host.to_owned(), target.to_owned());
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let slash = if path.starts_with('/') { "" } else { "/" };
    (authority.to_owned(), format!("{slash}{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_targets_say_whom_they_ask() {
        for (target, authority, path) in [
            ("/x?u=http://b/", "host", "/x?u=http://b/"),
            ("HTTP://a.example/x?y", "a.example", "/x?y"),
            ("https://a.example", "a.example", "/"),
            ("http://a.example?x=/y", "a.example", "/?x=/y"),
            ("http:///x", "", "/x"),
            ("ftp://a.example/x", "host", "ftp://a.example/x"),
        ] {
            assert_eq!(effective_target(target, "host"), (authority.to_owned(), path.to_owned()), "{target}");
        }
        assert_eq!(effective_target("http://a.example/", "a b").0, "a b", "a malformed Host is one still");
    }
}
