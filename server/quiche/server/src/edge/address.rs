//! The origin's address, and those of the files below it. No request leads anywhere else.

use std::fmt;

use http::Uri;
use voxel_protocol::path::{percent_decoded, percent_encoded};

use crate::configuration_error::ConfigurationError;

/// An address of `http` or `https`, a host, and a path that ends with a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Address {
    pub fn parse(text: &str) -> Result<Self, ConfigurationError> {
        let refused =
            || ConfigurationError(format!("--origin must be like https://host or https://host/path, got '{text}'"));
        let uri: Uri = text.parse().map_err(|_| refused())?;
        let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme)).ok_or_else(refused)?;
        let authority = uri.authority().filter(|it| !it.host().is_empty() && !it.as_str().contains('@'));
        let authority = authority.ok_or_else(refused)?;
        // The port that follows the host is one: else the client would take the scheme's.
        let port = &authority.as_str()[authority.host().len()..];
        if !port.is_empty() && authority.port_u16().is_none_or(|port| port == 0) {
            return Err(refused());
        }
        let path = uri.path().trim_matches('/');
        if text.contains(['?', '#', '\\']) || path.split('/').any(|segment| segment == ".." || segment == ".") {
            return Err(refused());
        }
        let slash = if path.is_empty() { "" } else { "/" };
        Ok(Self(format!("{scheme}://{authority}/{path}{slash}")))
    }

    /// The address of a file; `None`: there is none, as a segment has a backslash, which some origins take for a slash.
    /// `segments`: decoded, none of which is `..` or has a slash.
    pub fn of(&self, segments: &[Vec<u8>]) -> Option<String> {
        if segments.iter().any(|segment| segment.contains(&b'\\')) {
            return None;
        }
        let encoded: Vec<_> = segments.iter().map(|segment| percent_encoded(segment)).collect();
        Some(format!("{}{}", self.0, encoded.join("/")))
    }
}

/// Whether a redirect says that the address is that of a folder: to the same path with a slash, whatever name and port
/// the origin believes to have.
pub fn is_of_folder(url: &str, location: &str) -> bool {
    let mut folder = percent_decoded(path_of(url));
    folder.push(b'/');
    percent_decoded(path_of(location)) == folder
}

fn path_of(url: &str) -> &str {
    let after_host = url.split_once("://").map_or(url, |(_, rest)| &rest[rest.find('/').unwrap_or(rest.len())..]);
    after_host.split(['?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use voxel_protocol::path;

    use super::*;

    proptest! {
        #[test]
        fn no_request_leaves_the_origins_folder(request in "/[a-z/.%25efé?#@:\\\\]{0,30}") {
            let address = Address::parse("https://media.example/films").unwrap();
            if let Some(url) = path::decode(&request).ok().and_then(|segments| address.of(&segments)) {
                prop_assert!(url.starts_with("https://media.example/films/"));
                let uri: Uri = url.parse().unwrap();
                prop_assert_eq!(uri.authority().unwrap().as_str(), "media.example");
                prop_assert!(uri.query().is_none() && !uri.path().split('/').any(|it| it == "." || it == ".."));
                prop_assert!(!url.contains("%5C"));
            }
        }
    }

    #[test]
    fn addresses() {
        for (text, address) in [
            ("https://media.example", Some("https://media.example/")),
            ("http://[::1]:8000/a/b/", Some("http://[::1]:8000/a/b/")),
            ("https://bucket.s3.amazonaws.com/films", Some("https://bucket.s3.amazonaws.com/films/")),
            ("media.example", None),
            ("ftp://media.example", None),
            ("https://user:secret@media.example", None),
            ("https://media.example/?token=1", None),
            ("https://media.example/a/../b", None),
            ("https://media.example:8443", Some("https://media.example:8443/")),
            ("https://media.example:99999", None),
            ("https://media.example:0", None),
            ("https://media.example:", None),
            ("https://media.example/a\\..\\b", None),
            ("/films", None),
            ("", None),
        ] {
            assert_eq!(Address::parse(text).ok().map(|it| it.to_string()).as_deref(), address, "{text}");
        }
    }

    #[test]
    fn a_redirect_to_the_path_with_a_slash_is_of_a_folder() {
        let url = "http://a.example/films/b%20c";
        for (location, is_folder) in [
            ("http://a.example/films/b%20c/", true),
            ("http://other:8080/films/b c/?x=1", true),
            ("/films/b%20c/", true),
            ("/films/b%20c", false),
            ("b%20c/", false),
            ("http://a.example", false),
            ("https://evil.example/login/", false),
        ] {
            assert_eq!(is_of_folder(url, location), is_folder, "{location}");
        }
    }
}
