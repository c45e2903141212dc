//! `/.well-known/voxel.json`: the URL and the certificates of the WebTransport endpoint.

use crate::VERSION;
use crate::origin::host_name;

pub const DISCOVERY_PATH: &str = "/.well-known/voxel.json";
pub const ENDPOINT_PATH: &str = "/voxel";

const WILDCARDS: [&str; 2] = ["0.0.0.0", "::"];

/// What the discovery file contains, apart from the certificates, which change.
#[derive(Debug)]
pub struct Discovery {
    /// The address that the server is bound to.
    pub host: String,
    /// The UDP port.
    pub port: u16,
    /// The URL to announce instead, if clients reach the server under another address.
    pub public_endpoint: Option<String>,
}

impl Discovery {
    /// The endpoint's URL for a client whose Host header is `authority`.
    pub fn endpoint(&self, authority: Option<&str>) -> String {
        if let Some(endpoint) = &self.public_endpoint {
            return endpoint.clone();
        }
        let host = if WILDCARDS.contains(&self.host.as_str()) {
            authority.and_then(host_name).unwrap_or_else(|| "127.0.0.1".to_owned())
        } else if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        format!("https://{host}:{}{ENDPOINT_PATH}", self.port)
    }

    /// The JSON text of the file. `certificate_hashes`: base64 SHA-256 of the DER forms; empty if publicly trusted.
    pub fn document(&self, authority: &str, certificate_hashes: &[String]) -> String {
        let hashes: Vec<_> = certificate_hashes.iter().map(|hash| format!("\"{hash}\"")).collect();
        format!(
            "{{\"endpoint\": {}, \"certificateHashes\": [{}], \"versions\": [\"{VERSION}\"]}}\n",
            json_string(&self.endpoint(Some(authority))),
            hashes.join(", "),
        )
    }
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

    fn discovery(host: &str) -> Discovery {
        Discovery { host: host.to_owned(), port: 4433, public_endpoint: None }
    }

    #[test]
    fn bound_to_every_address_it_announces_the_one_that_was_asked() {
        assert_eq!(discovery("0.0.0.0").endpoint(Some("media.example:80")), "https://media.example:4433/voxel");
        assert_eq!(discovery("::1").endpoint(Some("other")), "https://[::1]:4433/voxel");
    }

    #[test]
    fn the_document_is_json_whatever_the_operator_wrote() {
        let discovery = Discovery { public_endpoint: Some("https://a\"\\\n".to_owned()), ..discovery("a") };
        let document: serde_json::Value = serde_json::from_str(&discovery.document("a", &["aa=".to_owned()])).unwrap();
        assert_eq!(document["endpoint"], "https://a\"\\\n");
        assert_eq!(document["certificateHashes"][0], "aa=");
        assert_eq!(document["versions"][0], "voxel-1");
    }
}
