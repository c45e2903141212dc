//! Further addresses of the service, which the discovery file names as `paths`.

use crate::origin::{authority_of, host_name};

/// A client has eight, and the server itself is one of them.
pub const MOST_PATHS: usize = 7;

/// One entry of `paths`.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnouncedPath {
    pub url: String,
    /// The path's cost; above the least of all paths: metered.
    pub cost: f64,
    /// Hashes as the discovery file has them; empty: publicly trusted.
    pub certificate_hashes: Vec<String>,
}

/// What an operator wrote that clients would refuse.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum BadPath {
    #[error("--path must begin with a URL like https://host:port/voxel, got '{0}'")]
    Url(String),
    #[error("--path must be like URL;cost=1;hash=SHA256, got '{0}'")]
    Form(String),
    #[error("--path must have one cost, got '{0}'")]
    Costs(String),
    #[error("--path: cost must be a number from 0, got '{0}'")]
    Cost(String),
    #[error("--path: hash must be the base64 SHA-256 of a certificate, got '{0}'")]
    Hash(String),
    #[error("--path must name each address once, got '{0}' twice")]
    Twice(String),
    #[error("--path may be given {MOST_PATHS} times, got {0}")]
    Many(usize),
}

/// Reads `URL[;cost=N][;hash=SHA256]` each, `hash` as often as needed.
pub fn parse_paths(texts: &[String]) -> Result<Vec<AnnouncedPath>, BadPath> {
    let paths = texts.iter().map(|text| parse_path(text)).collect::<Result<Vec<_>, _>>()?;
    for (index, AnnouncedPath { url, .. }) in paths.iter().enumerate() {
        if paths[..index].iter().any(|path| path.url == *url) {
            return Err(BadPath::Twice(url.clone()));
        }
    }
    if paths.len() > MOST_PATHS { Err(BadPath::Many(paths.len())) } else { Ok(paths) }
}

fn parse_path(text: &str) -> Result<AnnouncedPath, BadPath> {
    let mut fields = text.split(';');
    let url = fields.next().filter(|url| is_endpoint(url)).ok_or_else(|| BadPath::Url(text.to_owned()))?;
    let mut costs = Vec::new();
    let mut certificate_hashes = Vec::new();
    for field in fields {
        match field.split_once('=') {
            Some(("cost", value)) => costs.push(parse_cost(value)?),
            Some(("hash", value)) if is_hash(value) => certificate_hashes.push(value.to_owned()),
            Some(("hash", value)) => return Err(BadPath::Hash(value.to_owned())),
            _ => return Err(BadPath::Form(text.to_owned())),
        }
    }
    match costs[..] {
        [] => Ok(AnnouncedPath { url: url.to_owned(), cost: 0.0, certificate_hashes }),
        [cost] => Ok(AnnouncedPath { url: url.to_owned(), cost, certificate_hashes }),
        _ => Err(BadPath::Costs(text.to_owned())),
    }
}

fn is_endpoint(url: &str) -> bool {
    let authority = authority_of(url).unwrap_or_default();
    let well_formed = host_name(authority).is_some_and(|host| match authority[host.len()..].strip_prefix(':') {
        Some(port) => port.is_empty() || port.parse::<u16>().is_ok_and(|port| port > 0),
        None => true,
    });
    well_formed && url.starts_with("https://") && url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
}

fn parse_cost(text: &str) -> Result<f64, BadPath> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let cost = text.parse().ok().filter(|cost: &f64| is_plain && cost.is_finite());
    cost.ok_or_else(|| BadPath::Cost(text.to_owned()))
}

/// Base64 of 32 bytes.
fn is_hash(text: &str) -> bool {
    let digits = text.strip_suffix('=').unwrap_or_default();
    digits.len() == 43 && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "B0EWs0fuMuFu9wHqofo/D2mVFTNUZtvC2ostVMpZJIY=";

    fn parsed(texts: &[&str]) -> Result<Vec<AnnouncedPath>, BadPath> {
        parse_paths(&texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_path_is_a_url_with_a_cost_and_hashes() {
        let path = |cost, hashes: &[&str]| AnnouncedPath {
            url: "https://b.example:4433/voxel".to_owned(),
            cost,
            certificate_hashes: hashes.iter().map(|&hash| hash.to_owned()).collect(),
        };
        let url = "https://b.example:4433/voxel";
        assert_eq!(parsed(&[url]), Ok(vec![path(0.0, &[])]));
        assert_eq!(parsed(&[&format!("{url};hash={HASH};cost=1.5;hash={HASH}")]), Ok(vec![path(1.5, &[HASH, HASH])]));
        assert!(parsed(&["https://[::1]:4433/voxel?token=a", "https://a/voxel"]).is_ok());
    }

    #[test]
    fn what_clients_would_refuse_is_refused() {
        for url in
            ["http://a/voxel", "https://", "https://a b/", "https://a:0/", "https://a:70000/", "https://a/#b", "a"]
        {
            assert_eq!(parsed(&[url]), Err(BadPath::Url(url.to_owned())), "{url}");
        }
        for cost in ["", "-1", "1e3", "inf", "nan", "1.2.3", "+1"] {
            assert_eq!(parsed(&[&format!("https://a/;cost={cost}")]), Err(BadPath::Cost(cost.to_owned())), "{cost}");
        }
        for hash in ["", "B0EW", &HASH[1..], "B0EWs0fuMuFu9wHqofo_D2mVFTNUZtvC2ostVMpZJIY="] {
            assert_eq!(parsed(&[&format!("https://a/;hash={hash}")]), Err(BadPath::Hash(hash.to_owned())), "{hash}");
        }
        assert_eq!(parsed(&["https://a/;price=1"]), Err(BadPath::Form("https://a/;price=1".to_owned())));
        let twice = "https://a/;cost=1;cost=2";
        assert_eq!(parsed(&[twice]), Err(BadPath::Costs(twice.to_owned())));
        assert_eq!(parsed(&["https://a/", "https://a/;cost=1"]), Err(BadPath::Twice("https://a/".to_owned())));
        let many: Vec<_> = (0..8).map(|index| format!("https://a{index}/")).collect();
        assert_eq!(parse_paths(&many), Err(BadPath::Many(8)));
        assert!(parse_paths(&many[..7]).is_ok());
    }
}
