//! The command line.

mod authorization;

use std::path::PathBuf;

use authorization::AuthorizationOptions;
use clap::Parser;
use serde_json::Value;
use voxel_protocol::limits::Limits;
use voxel_protocol::origin::is_loopback;

use crate::configuration_error::ConfigurationError;
use crate::edge::Address;
use crate::endpoint::{BLOCK_BYTES, MOST_CONFIGURATION, MOST_SERVER_ID_BYTES, ServerId};
use crate::log::{self, LogFormat};
use crate::quic::{CongestionControl, LiveControlChoice};

/// Serves the files of a folder, or of another HTTP server, over WebTransport (voxel-1), HTTP/3 and HTTP/1.1.
///
/// Prints one JSON line to standard output when it is ready. On SIGTERM and Ctrl-C it finishes the requests in flight
/// first.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Options {
    /// Folder whose files are served at /
    #[arg(value_name = "DIR", required_unless_present_any = ["origin", "check_health"])]
    pub folder: Option<PathBuf>,

    /// HTTP server whose files are served at / instead, fetched when they are asked for and kept on disk
    #[arg(long, value_name = "URL", conflicts_with = "folder")]
    pub origin: Option<String>,

    /// Folder of what is kept of the origin's files; by default one in the user's cache folder
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,

    /// Bytes of the origin's files that are kept, such as 500M or 20G; what was not used for longest goes first
    #[arg(long, value_name = "BYTES", default_value = "10G", value_parser = parse_bytes)]
    pub cache_bytes: u64,

    /// Seconds for which the origin may be silent before a request has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=300))]
    pub origin_timeout: u64,

    /// Address to listen on; 0.0.0.0 or :: for all addresses
    #[arg(long, default_value = "127.0.0.1")]
    pub host: String,

    /// TCP port of HTTP/1.1; 0 for any free port
    #[arg(long, default_value_t = 8080)]
    pub http_port: u16,

    /// UDP port of HTTP/3 and WebTransport; 0 for any free port
    #[arg(long, default_value_t = 4433)]
    pub quic_port: u16,

    /// Another folder to serve, under a prefix; repeatable
    #[arg(long = "mount", value_name = "/PREFIX=DIR")]
    pub mounts: Vec<String>,

    /// PEM certificate chain; by default a self-signed certificate that browsers accept by its hash
    #[arg(long)]
    pub certificate: Option<PathBuf>,

    /// PEM private key of the certificate
    #[arg(long)]
    pub key: Option<PathBuf>,

    /// Origin whose pages may use the server, or *; repeatable; by default the host of the server itself
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    pub allowed_origins: Vec<String>,

    /// Token that sessions must carry in their URL as ?token=TOKEN
    #[arg(long, env = "VOXEL_TOKEN", hide_env_values = true)]
    pub token: Option<String>,

    #[command(flatten)]
    pub authorization: AuthorizationOptions,

    /// WebTransport URL to announce to clients, if they reach the server under another address
    #[arg(long, value_name = "URL")]
    pub public_endpoint: Option<String>,

    /// Another address of the same files, for clients that use several; cost above the others': metered; hash: of its
    /// certificate, if that is self-signed; repeatable
    #[arg(long = "path", value_name = "URL[;cost=N][;hash=SHA256]")]
    pub paths: Vec<String>,

    /// ID of this server among those behind one UDP load balancer, 1 to 8 bytes; part of every connection ID (QUIC-LB);
    /// config: number of the balancer's configuration that the ID belongs to, 0 to 6, else 0
    #[arg(long, value_name = "HEX[,config=N]")]
    pub server_id: Option<String>,

    /// Earlier place of config
    #[arg(long, value_name = "N", hide = true)]
    pub server_id_config: Option<u8>,

    /// AES-128 key that the load balancer reads the ID with; without it everybody can
    #[arg(long, value_name = "HEX", env = "VOXEL_SERVER_ID_KEY", hide_env_values = true)]
    pub server_id_key: Option<String>,

    /// TCP connections at a time, and as many QUIC connections; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_connections: usize,

    /// The same of one client address, an IPv6 network of 64 bits being one; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 250)]
    pub max_connections_per_address: usize,

    /// WebTransport sessions of one client address at a time; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_sessions_per_address: usize,

    /// Requests in flight of one client address; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_requests_per_address: usize,

    /// Address of the counters, http://HOST:PORT/metrics, and of /health; port 0 for any free port
    #[arg(long, env = "VOXEL_METRICS", value_name = "HOST:PORT|none", default_value = "127.0.0.1:0")]
    pub metrics: String,

    /// Serve nothing: ask the server whose counters are there whether it is well; exit code 1 if not
    #[arg(long, value_name = "HOST:PORT")]
    pub check_health: Option<String>,

    /// Threads that serve QUIC, each of them on one core; by default as many as this program may use
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: Option<u16>,

    /// Congestion control of streams and datagrams
    #[arg(long, value_enum, default_value = "cubic")]
    pub congestion_control: CongestionControl,

    /// Congestion control of a session while it follows a live stream; delay: at most 75 ms of packets wait in the path, for links
    /// that viewers have for themselves; bbr goes its own way
    #[arg(long, value_enum, default_value = "ordinary")]
    pub live_control: LiveControlChoice,

    /// Folder for a qlog file of each QUIC connection
    #[arg(long, value_name = "DIR")]
    pub qlog: Option<PathBuf>,

    /// Allow plain HTTP on addresses other than loopback, for test networks
    #[arg(long)]
    pub insecure: bool,

    /// Format of the log on standard error
    #[arg(long, value_enum, default_value = "text")]
    pub log_format: LogFormat,

    /// Serve HTTP/1.1 and HTTP/3 only, without discovery
    #[arg(long)]
    pub no_webtransport: bool,
}

/// Workers of a machine with many cores, unless more are asked for.
const MOST_USUAL_WORKERS: usize = 64;

/// Least size of the cache: two blocks and what is known of their file.
const LEAST_CACHE_BYTES: u64 = 2_000_000;

/// A number of bytes, in thousands, millions or billions with K, M, G or T behind it.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let units = [('K', 1_000), ('M', 1_000_000), ('G', 1_000_000_000), ('T', 1_000_000_000_000)];
    let unit = units.into_iter().find(|(letter, _)| text.ends_with(*letter));
    let digits = unit.map_or(text, |(letter, _)| text.trim_end_matches(letter));
    let bytes = digits.parse().ok().and_then(|number: u64| number.checked_mul(unit.map_or(1, |(_, bytes)| bytes)));
    bytes
        .filter(|bytes| *bytes >= LEAST_CACHE_BYTES)
        .ok_or_else(|| "must be a number like 500M or 20G, at least 2M".to_owned())
}

impl Options {
    /// Refuses options that contradict each other.
    pub fn check(&self) -> Result<(), ConfigurationError> {
        if self.cache_dir.is_some() && self.origin.is_none() {
            return Err(ConfigurationError(
                "--cache-dir is of what is kept of an origin: it needs --origin".to_owned(),
            ));
        }
        if cfg!(not(target_os = "linux")) && self.workers.is_some_and(|workers| workers > 1) {
            return Err(ConfigurationError("--workers above 1 needs Linux, which divides a port's packets".to_owned()));
        }
        if self.certificate.is_some() != self.key.is_some() {
            return Err(ConfigurationError("--certificate and --key must be given together".to_owned()));
        }
        if let Some(endpoint) = self.public_endpoint.as_ref().filter(|endpoint| !endpoint.starts_with("https://")) {
            let message = format!("--public-endpoint must be like https://host:port/voxel, got '{endpoint}'");
            return Err(ConfigurationError(message));
        }
        if !is_loopback(&self.host) && self.certificate.is_none() && !self.insecure {
            return Err(ConfigurationError(format!(
                "--host {} is not a loopback address: it needs --certificate and --key, or --insecure on a test network",
                self.host
            )));
        }
        Ok(())
    }

    /// Threads that serve QUIC.
    pub fn workers(&self) -> usize {
        // Elsewhere the system does not divide a port's packets among sockets.
        let usual =
            if cfg!(target_os = "linux") { std::thread::available_parallelism().map_or(1, usize::from) } else { 1 };
        self.workers.map_or(usual.min(MOST_USUAL_WORKERS), usize::from)
    }

    /// Says what may be a surprise.
    pub fn warn(&self) {
        if self.certificate.is_some() && !self.tls() && !self.insecure {
            let reason = "on a loopback address the certificate is of QUIC alone";
            log::warning("plain HTTP", &[("host", self.host.as_str().into()), ("reason", reason.into())]);
        }
    }

    /// Whether the TCP side speaks HTTPS.
    pub fn tls(&self) -> bool {
        self.certificate.is_some() && !is_loopback(&self.host) && !self.insecure
    }

    /// URL prefix ("/", "/media") to folder.
    pub fn folders(&self) -> Result<Vec<(String, PathBuf)>, ConfigurationError> {
        let mut folders: Vec<_> = self.folder.iter().map(|folder| ("/".to_owned(), folder.clone())).collect();
        for mount in &self.mounts {
            match mount.split_once('=') {
                Some((prefix, folder))
                    if prefix.starts_with('/') && !prefix.trim_matches('/').is_empty() && !folder.is_empty() =>
                {
                    folders.push((format!("/{}", prefix.trim_matches('/')), PathBuf::from(folder)));
                }
                _ => return Err(ConfigurationError(format!("--mount must be like /prefix=DIR, got '{mount}'"))),
            }
        }
        Ok(folders)
    }

    /// Address of the origin, if there is one.
    pub fn origin(&self) -> Result<Option<Address>, ConfigurationError> {
        self.origin.as_deref().map(Address::parse).transpose()
    }

    /// What a load balancer finds this server by.
    pub fn server_id(&self) -> Result<Option<ServerId>, ConfigurationError> {
        let key = self.server_id_key.as_ref().map(|given| {
            let refused = || ConfigurationError("--server-id-key must be 16 bytes in hexadecimal".to_owned());
            hexadecimal(given).and_then(|bytes| bytes.try_into().ok()).ok_or_else(refused)
        });
        let key: Option<[u8; BLOCK_BYTES]> = key.transpose()?;
        let Some(given) = &self.server_id else {
            return match key {
                Some(_) => Err(ConfigurationError("--server-id-key needs --server-id".to_owned())),
                None => Ok(None),
            };
        };
        if self.server_id_config.is_some() {
            let fields = [("option", "--server-id-config"), ("instead", "--server-id HEX,config=N")];
            log::warning("option goes with the next release", &fields.map(|(name, text)| (name, Value::from(text))));
        }
        let earlier = || self.server_id_config.unwrap_or_default().to_string();
        let (given, config) = match given.split_once(",config=") {
            Some((given, config)) => (given, config.to_owned()),
            None => (given.as_str(), earlier()),
        };
        let configuration = config.parse().ok().filter(|number| *number <= MOST_CONFIGURATION).ok_or_else(|| {
            ConfigurationError(format!("--server-id: config must be 0 to {MOST_CONFIGURATION}, got '{config}'"))
        })?;
        let bytes = hexadecimal(given).filter(|bytes| (1..=MOST_SERVER_ID_BYTES).contains(&bytes.len())).ok_or_else(
            || ConfigurationError(format!("--server-id must be 1 to {MOST_SERVER_ID_BYTES} bytes in hexadecimal, such as 0x1122334455667788, got '{given}'")),
        )?;
        Ok(Some(ServerId { bytes, configuration, key }))
    }

    /// Host and port of the counters; `None`: nowhere.
    pub fn metrics_address(&self) -> Result<Option<(String, u16)>, ConfigurationError> {
        if self.metrics == "none" {
            return Ok(None);
        }
        let refused = || {
            let given = &self.metrics;
            ConfigurationError(format!("--metrics must be none or like 127.0.0.1:9100 or [::1]:9100, got '{given}'"))
        };
        let (host, port) = self.metrics.rsplit_once(':').ok_or_else(refused)?;
        let plain = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if plain.is_empty() || (plain == host && host.contains(':')) {
            return Err(refused());
        }
        Ok(Some((plain.to_owned(), port.parse().map_err(|_| refused())?)))
    }

    /// What clients may request, before the system's own limits.
    pub fn limits(&self) -> Limits {
        Limits {
            connections: self.max_connections,
            connections_per_address: self.max_connections_per_address,
            sessions_per_address: self.max_sessions_per_address,
            requests_per_address: self.max_requests_per_address,
            ..Limits::default()
        }
    }
}

/// Bytes in hexadecimal, which may begin with 0x.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    let (pairs, rest) = digits.as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| Some((digit(high)? << 4 | digit(low)?) as u8);
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}
