//! The command line.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use voxel_protocol::origin::is_loopback;

use crate::ConfigurationError;
use crate::log::LogFormat;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CongestionControl {
    Cubic,
    Reno,
    /// BBRv2.
    Bbr,
    /// The same, under the name that voxel-serve has for it.
    BbrIfAvailable,
}

/// Serves the files of a folder over WebTransport (voxel-1), HTTP/3 and HTTP/1.1.
///
/// Prints one JSON line to standard output once it answers. SIGTERM and Ctrl-C let what is in flight finish.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Options {
    /// Folder whose files are served at /
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Address to listen on; 0.0.0.0 or :: for all
    #[arg(long, default_value = "127.0.0.1")]
    pub host: String,

    /// TCP port of HTTP/1.1; 0: any free one
    #[arg(long, default_value_t = 8080)]
    pub http_port: u16,

    /// UDP port of HTTP/3 and WebTransport; 0: any free one
    #[arg(long, default_value_t = 4433)]
    pub quic_port: u16,

    /// Serves another folder under a prefix; repeatable
    #[arg(long = "mount", value_name = "/PREFIX=DIR")]
    pub mounts: Vec<String>,

    /// PEM certificate chain; default: self-made, trusted by its hash
    #[arg(long)]
    pub certificate: Option<PathBuf>,

    /// PEM key of the certificate
    #[arg(long)]
    pub key: Option<PathBuf>,

    /// Origin whose pages may use the server, or *; repeatable; default: own host
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    pub allowed_origins: Vec<String>,

    /// Sessions must carry ?token=TOKEN in their URL
    #[arg(long, env = "VOXEL_TOKEN", hide_env_values = true)]
    pub token: Option<String>,

    /// WebTransport URL to announce, as seen from outside
    #[arg(long, value_name = "URL")]
    pub public_endpoint: Option<String>,

    /// For streams and datagrams alike
    #[arg(long, value_enum, default_value = "cubic")]
    pub congestion_control: CongestionControl,

    /// Writes a qlog file per connection there
    #[arg(long, value_name = "DIR")]
    pub qlog: Option<PathBuf>,

    /// Plain HTTP on other than loopback addresses, for test networks
    #[arg(long)]
    pub insecure: bool,

    /// Form of the log on standard error
    #[arg(long, value_enum, default_value = "text")]
    pub log_format: LogFormat,

    /// HTTP/1.1 and HTTP/3 only, and no discovery
    #[arg(long)]
    pub no_webtransport: bool,
}

impl Options {
    /// Refuses options that contradict each other.
    pub fn check(&self) -> Result<(), ConfigurationError> {
        if self.certificate.is_some() != self.key.is_some() {
            return Err(ConfigurationError("--certificate and --key go together".to_owned()));
        }
        if let Some(endpoint) = self.public_endpoint.as_ref().filter(|endpoint| !endpoint.starts_with("https://")) {
            let message = format!("bad public endpoint: '{endpoint}' (write it as https://host:port/voxel)");
            return Err(ConfigurationError(message));
        }
        if !is_loopback(&self.host) && self.certificate.is_none() && !self.insecure {
            return Err(ConfigurationError(format!(
                "{} is not a loopback address: give --certificate and --key, or --insecure for a test network",
                self.host
            )));
        }
        Ok(())
    }

    /// Whether the TCP side speaks HTTPS.
    pub fn tls(&self) -> bool {
        self.certificate.is_some() && !is_loopback(&self.host) && !self.insecure
    }

    /// URL prefix ("/", "/media") to folder.
    pub fn folders(&self) -> Result<Vec<(String, PathBuf)>, ConfigurationError> {
        let mut folders = vec![("/".to_owned(), self.folder.clone())];
        for mount in &self.mounts {
            match mount.split_once('=') {
                Some((prefix, folder))
                    if prefix.starts_with('/') && !prefix.trim_matches('/').is_empty() && !folder.is_empty() =>
                {
                    folders.push((format!("/{}", prefix.trim_matches('/')), PathBuf::from(folder)));
                }
                _ => return Err(ConfigurationError(format!("bad mount: '{mount}' (write it as /prefix=DIR)"))),
            }
        }
        Ok(folders)
    }

    pub fn origins(&self) -> BTreeSet<String> {
        self.allowed_origins.iter().cloned().collect()
    }
}
