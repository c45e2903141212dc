//! `/.well-known/voxel.json`: the URL and the certificates of the WebTransport endpoint.

use crate::VERSION;
use crate::announced::AnnouncedPath;
use crate::origin::host_name;

pub const DISCOVERY_PATH: &str = "/.well-known/voxel.json";
pub const ENDPOINT_PATH: &str = "/voxel";

const IPV4_WILDCARD: &str = "0.0.0.0";
const WILDCARDS: [&str; 2] = [IPV4_WILDCARD, "::"];

/// What `localhost` is called where only IPv4 is served: for Chromium's WebTransport that name is `::1` alone.
const LOOPBACK: &str = "127.0.0.1";

/// What the discovery file contains, apart from the certificates, which change.
#[derive(Debug)]
pub struct Discovery {
    /// The address that the server is bound to.
    pub host: String,
    /// The UDP port.
    pub port: u16,
    /// The URL to announce instead, if clients reach the server under another address.
    pub public_endpoint: Option<String>,
    /// Further addresses. The endpoint's own may be among them, to have a cost; its hashes are the server's own.
    pub paths: Vec<AnnouncedPath>,
}

impl Discovery {
    /// The endpoint's URL for a client whose Host header is `authority`.
    pub fn endpoint(&self, authority: Option<&str>) -> String {
        if let Some(endpoint) = &self.public_endpoint {
            return endpoint.clone();
        }
        let host = if WILDCARDS.contains(&self.host.as_str()) {
            let asked = authority.and_then(host_name).filter(|it| self.host != IPV4_WILDCARD || it != "localhost");
            asked.unwrap_or_else(|| LOOPBACK.to_owned())
        } else if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        format!("https://{host}:{}{ENDPOINT_PATH}", self.port)
    }

    /// The JSON text of the file. `certificate_hashes`: base64 SHA-256 of the DER forms; empty if publicly trusted.
    pub fn document(&self, authority: &str, certificate_hashes: &[String]) -> String {
        let endpoint = self.endpoint(Some(authority));
        let paths: Vec<_> = self.paths.iter().map(|path| path_entry(path, &endpoint, certificate_hashes)).collect();
        let paths = if paths.is_empty() { String::new() } else { format!(", \"paths\": [{}]", paths.join(", ")) };
        format!(
            "{{\"endpoint\": {}, \"certificateHashes\": {}, \"versions\": [\"{VERSION}\"], \"features\": [\"follow\"]{paths}}}\n",
            json_string(&endpoint),
            json_strings(certificate_hashes),
        )
    }
}

fn path_entry(path: &AnnouncedPath, endpoint: &str, own_hashes: &[String]) -> String {
    let hashes = if path.url == endpoint { own_hashes } else { &path.certificate_hashes };
    format!(
        "{{\"endpoint\": {}, \"certificateHashes\": {}, \"cost\": {}}}",
        json_string(&path.url),
        json_strings(hashes),
        path.cost
    )
}

fn json_strings(texts: &[String]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| json_string(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// RFC 8259 section 7. A URL that the operator gave may contain any character.
fn json_string(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|it| match it {
            '"' | '\\' => format!("\\{it}"),
            '\0'..='\x1f' => format!("\\u{:04x}", u32::from(it)),
            _ => it.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::announced::parse_paths;

    const HASH: &str = "B0EWs0fuMuFu9wHqofo/D2mVFTNUZtvC2ostVMpZJIY=";

    fn discovery(host: &str) -> Discovery {
        Discovery { host: host.to_owned(), port: 4433, public_endpoint: None, paths: Vec::new() }
    }

    #[test]
    fn bound_to_every_address_it_announces_the_one_that_was_asked() {
        assert_eq!(discovery("0.0.0.0").endpoint(Some("media.example:80")), "https://media.example:4433/voxel");
        assert_eq!(discovery("0.0.0.0").endpoint(Some("localhost:80")), "https://127.0.0.1:4433/voxel");
        assert_eq!(discovery("::").endpoint(Some("localhost:80")), "https://localhost:4433/voxel");
        assert_eq!(discovery("::1").endpoint(Some("other")), "https://[::1]:4433/voxel");
    }

    #[test]
    fn the_document_is_json_whatever_the_operator_wrote() {
        let discovery = Discovery { public_endpoint: Some("https://a\"\\\n".to_owned()), ..discovery("a") };
        let document: serde_json::Value = serde_json::from_str(&discovery.document("a", &["aa=".to_owned()])).unwrap();
        assert_eq!(document["endpoint"], "https://a\"\\\n");
        assert_eq!(document["certificateHashes"][0], "aa=");
        assert_eq!(document["versions"][0], "voxel-1");
        assert_eq!(document["features"][0], "follow");
        assert!(document.get("paths").is_none());
    }

    #[test]
    fn paths_have_their_own_hashes_and_the_endpoint_among_them_the_servers() {
        let texts = [&format!("https://b.example/voxel;hash={HASH}"), "https://a:4433/voxel;cost=0.5"];
        let paths = parse_paths(&texts.map(str::to_owned)).unwrap();
        let discovery = Discovery { paths, ..discovery("a") };
        let document: serde_json::Value = serde_json::from_str(&discovery.document("a", &["aa=".to_owned()])).unwrap();
        let expected = serde_json::json!([
            { "endpoint": "https://b.example/voxel", "certificateHashes": [HASH], "cost": 0 },
            { "endpoint": "https://a:4433/voxel", "certificateHashes": ["aa="], "cost": 0.5 },
        ]);
        assert_eq!(document["paths"], expected);
    }
}
