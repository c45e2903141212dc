//! The whole server: starts both sides, keeps the certificate fresh, drains and stops.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use boring::ssl::SslAcceptor;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use voxel_protocol::announced::parse_paths;
use voxel_protocol::discovery::Discovery;
use voxel_protocol::limits::Limits;
use voxel_protocol::origin::{OriginPolicy, authority_of, host_name, is_loopback};

use crate::certificate::{Certificate, CertificateSource, FaultWarning, default_cache};
use crate::cli::Options;
use crate::configuration_error::ConfigurationError;
use crate::descriptors::{self, Budget};
use crate::edge::{self, Clients, Edge};
use crate::endpoint::{Command, ResetKey};
use crate::files::Mounts;
use crate::growing::Watchers;
use crate::http1::Http1;
use crate::log;
use crate::metrics::Metrics;
use crate::metrics_listener;
use crate::places::Places;
use crate::playlists::Playlists;
use crate::quic;
use crate::site::Site;
use crate::sockets::{bind_tcp, bind_udp, bracketed, plain};
use crate::sources::Sources;
use crate::viewers::Viewers;
use crate::workers::{Plan, Workers};

const DRAIN_POLL: Duration = Duration::from_millis(50);

/// Interval at which the certificate is looked at: others replace the files of a given one.
const RENEWAL_CHECK: Duration = Duration::from_secs(10);

/// Time for clients to acknowledge that their sessions were closed: a few round trips, or the repetition of a lost packet.
const GOODBYE: Duration = Duration::from_secs(1);

/// Time for the last packets, which close the connections: more than the workers take.
const CLOSE: Duration = Duration::from_secs(2);

/// Serves until SIGTERM or SIGINT, then finishes the requests in flight.
pub async fn serve(options: Options) -> Result<(), ConfigurationError> {
    options.check()?;
    let metrics = options.metrics_address()?;
    let paths = parse_paths(&options.paths).map_err(|error| ConfigurationError(error.to_string()))?;
    let server_id = options.server_id()?;
    let (limits, files) = descriptor_limits(&options);
    let mounts = Mounts::new(options.folders()?, files)?;
    let (origin, authorizer) = (options.origin()?, options.authorization.authorizer(options.max_requests_per_address)?);
    let origins = origin_policy(&options)?;
    let source = certificate_source(&options);
    let certificate = source.obtain(SystemTime::now(), false)?;
    let tls = watch::Sender::new(acceptor(&options, &certificate)?);
    // A certificate that QUIC cannot use is an error now, not one of each worker.
    quic::config(&certificate, options.congestion_control)?;
    create_qlog_folder(&options)?;
    let tcp = bind_tcp(&options.host, options.http_port)?;
    let udp = bind_udp(&options.host, options.quic_port, options.workers())?;
    let failed = |error: std::io::Error| ConfigurationError(plain(&error));
    let http_port = tcp.local_addr().map_err(failed)?.port();
    let quic_port = udp[0].local_addr().map_err(failed)?.port();
    let metrics = metrics.map(|(host, port)| bind_tcp(&host, port).map(|tcp| (host, tcp))).transpose()?;

    let discovery = (!options.no_webtransport).then(|| Discovery {
        host: options.host.clone(),
        port: quic_port,
        public_endpoint: options.public_endpoint.clone(),
        paths,
    });
    let counters = Arc::new(Metrics::new(origin.is_some()));
    let edge = origin.map(|origin| edge(&options, origin, &counters)).transpose()?;
    let sources = Sources { mounts: Arc::new(mounts), edge };
    let site = Arc::new(Site {
        playlists: Playlists::new(sources.clone()),
        sources,
        origins,
        authorizer,
        limits,
        watchers: Watchers::new(Arc::clone(&counters)),
        viewers: Viewers::new(Arc::clone(&counters)),
        metrics: counters,
        discovery,
        certificate_hashes: watch::Sender::new(certificate.hashes()),
        token: options.token.clone(),
        draining: AtomicBool::new(false),
    });
    set_gauges(&site.metrics, &certificate, udp.len());
    let places = Places::new(&site.limits);
    let certificates = watch::Sender::new(Arc::new(certificate));
    let plan = Plan {
        site: Arc::clone(&site),
        places: places.clone(),
        certificates: certificates.subscribe(),
        congestion_control: options.congestion_control,
        live_control: options.live_control,
        reset_key: ResetKey::obtain(&default_cache()).map_err(failed)?,
        server_id,
        qlog: options.qlog.clone(),
    };
    let (workers, mut running) = Workers::start(udp, plan);
    let http1 = Http1::new(Arc::clone(&site), places);
    let metrics = metrics.map(|(host, bound)| metrics_listener::start(&site, &workers, &host, bound));
    let metrics_url = metrics.transpose().map_err(failed)?;
    let accepting =
        tokio::spawn(Arc::clone(&http1).accept(TcpListener::from_std(tcp).map_err(failed)?, tls.subscribe()));
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate()).map_err(failed)?, signal(SignalKind::interrupt()).map_err(failed)?);
    let keeper = CertificateKeeper {
        source,
        hangup: signal(SignalKind::hangup()).map_err(failed)?,
        tls,
        site: &site,
        certificates,
    };

    options.warn();
    let url = base_url(&options, http_port);
    println!("{}", ready_event(&site, &url, quic_port, metrics_url.as_deref()));
    log::info("ready", &[("url", Value::from(url)), ("workers", Value::from(options.workers()))]);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        () = keeper.run(&options) => {}
    }
    site.draining.store(true, Ordering::Relaxed);
    workers.tell(|| Command::GoAway).await;
    let finished = drained(site.limits.drain, &http1, &workers).await;
    accepting.abort();
    // Nothing reaches a client behind the end of its connection.
    workers.tell(|| Command::EndSessions).await;
    drained(GOODBYE, &http1, &workers).await;
    let _ = timeout(CLOSE, async {
        workers.tell(|| Command::Close).await;
        while running.join_next().await.is_some() {}
    })
    .await;
    // Writes that nobody has begun end with the runtime.
    if let Some(edge) = site.sources.edge.clone() {
        let _ = tokio::task::spawn_blocking(move || edge.store.write_rest()).await;
    }
    log::info("drained", &[("finished", Value::from(finished))]);
    Ok(())
}

fn create_qlog_folder(options: &Options) -> Result<(), ConfigurationError> {
    let Some(folder) = &options.qlog else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| {
        ConfigurationError(format!("cannot write qlog files to {}: {}", folder.display(), plain(&error)))
    })
}

/// Sets what is known at the start.
fn set_gauges(metrics: &Metrics, certificate: &Certificate, workers: usize) {
    metrics.set("voxel_certificate_end_seconds", certificate.end());
    metrics.set("voxel_workers", workers as i64);
}

/// Waits for what is in flight, at most so long; returns whether all of them have finished.
async fn drained(time: Duration, http1: &Http1, workers: &Workers) -> bool {
    let deadline = Instant::now() + time;
    loop {
        if workers.busy().await != Some(true) && http1.answers() == 0 {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        sleep(DRAIN_POLL).await;
    }
}

/// Replaces the certificate before it expires, and when its files hold another; new connections of both sides use it.
struct CertificateKeeper<'a> {
    source: CertificateSource,
    /// The signal to read the files at once, which ACME clients send, or to make another certificate.
    hangup: Signal,
    tls: watch::Sender<Option<SslAcceptor>>,
    site: &'a Site,
    certificates: watch::Sender<Arc<Certificate>>,
}

impl CertificateKeeper<'_> {
    async fn run(mut self, options: &Options) {
        let mut warning = FaultWarning::default();
        loop {
            warning.look(&self.certificates.borrow(), SystemTime::now());
            let anew = tokio::select! {
                () = sleep(RENEWAL_CHECK) => false,
                _ = self.hangup.recv() => true,
            };
            let now = SystemTime::now();
            let certificate = Arc::clone(&self.certificates.borrow());
            let is_given = matches!(self.source, CertificateSource::Given { .. });
            if !(anew || is_given || certificate.renewal_due(now)) {
                continue;
            }
            if let Err(error) = self.renew(options, &certificate, now, anew) {
                log::warning("certificate not renewed", &[("error", Value::from(error.to_string()))]);
            }
        }
    }

    /// Uses the certificate that there is now, unless it is the same as before.
    fn renew(
        &self,
        options: &Options,
        before: &Certificate,
        now: SystemTime,
        anew: bool,
    ) -> Result<(), ConfigurationError> {
        let next = self.source.obtain(now, anew)?;
        if next.is_same(before) {
            return Ok(());
        }
        quic::config(&next, options.congestion_control)?;
        self.tls.send_replace(acceptor(options, &next)?);
        self.site.certificate_hashes.send_replace(next.hashes());
        self.site.metrics.set("voxel_certificate_end_seconds", next.end());
        log::info("certificate renewed", &[("hashes", json!(next.hashes()))]);
        self.certificates.send_replace(Arc::new(next));
        Ok(())
    }
}

/// TLS of the TCP side; `None`: it speaks plain HTTP.
fn acceptor(options: &Options, certificate: &Certificate) -> Result<Option<SslAcceptor>, ConfigurationError> {
    let tls = options.tls().then(|| quic::tcp_tls(certificate)).transpose();
    tls.map_err(|error| ConfigurationError(format!("cannot set up TLS: {error}")))
}

fn edge(options: &Options, origin: edge::Address, metrics: &Arc<Metrics>) -> Result<Arc<Edge>, ConfigurationError> {
    let folder = options.cache_dir.clone().unwrap_or_else(|| default_cache().join(edge::folder_name(&origin)));
    let patience = Duration::from_secs(options.origin_timeout);
    // Without a limit of its own an address is no client.
    let clients = if options.max_requests_per_address == 0 { Clients::behind_a_proxy() } else { Clients::default() };
    Edge::new(origin, (&folder, options.cache_bytes), patience, clients, Arc::clone(metrics))
}

/// Limits that the system's descriptors suffice for, and how many files may be open for responses.
fn descriptor_limits(options: &Options) -> (Limits, usize) {
    let mut limits = options.limits();
    match descriptors::raise() {
        Ok(descriptors) => {
            let budget = Budget::new(descriptors, options.workers(), limits.connections, options.qlog.is_some());
            if limits.connections != budget.connections {
                let fields =
                    [("descriptors", descriptors), ("connections", budget.connections), ("files", budget.files)];
                log::warning("descriptors limited", &fields.map(|(name, value)| (name, Value::from(value))));
            }
            limits.connections = budget.connections;
            (limits, budget.files)
        }
        Err(error) => {
            log::warning("descriptors unknown", &[("error", Value::from(plain(&error)))]);
            (limits, usize::MAX)
        }
    }
}

fn certificate_source(options: &Options) -> CertificateSource {
    if let (Some(certificate), Some(key)) = (&options.certificate, &options.key) {
        return CertificateSource::Given { certificate: certificate.clone(), key: key.clone() };
    }
    let mut hosts: BTreeSet<_> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
    hosts.insert(options.host.clone());
    hosts.extend(public_host(options).map(|host| host.trim_matches(['[', ']']).to_owned()));
    CertificateSource::SelfMade { hosts, cache: default_cache() }
}

fn origin_policy(options: &Options) -> Result<OriginPolicy, ConfigurationError> {
    let own_hosts = is_loopback(&options.host).then(|| public_host(options).into_iter().collect());
    let policy = OriginPolicy::new(&options.allowed_origins.iter().cloned().collect(), !options.tls(), own_hosts)
        .map_err(|error| ConfigurationError(error.to_string()))?;
    let asking = &options.authorization;
    Ok(if asking.authorize.is_some() { policy.with_credentials(&asking.authorize_headers) } else { policy })
}

/// The host name of the announced endpoint.
fn public_host(options: &Options) -> Option<String> {
    options.public_endpoint.as_deref().and_then(authority_of).and_then(host_name)
}

fn base_url(options: &Options, http_port: u16) -> String {
    let scheme = if options.tls() { "https" } else { "http" };
    format!("{scheme}://{}:{http_port}/", bracketed(&options.host))
}

/// What is printed when the server is ready.
fn ready_event(site: &Site, url: &str, quic_port: u16, metrics: Option<&str>) -> Value {
    let endpoint = site.discovery.as_ref().map(|discovery| discovery.endpoint(None));
    let hashes = if endpoint.is_some() { site.certificate_hashes.borrow().clone() } else { Vec::new() };
    json!({
        "event": "ready",
        "url": url,
        "quicPort": quic_port,
        "endpoint": endpoint,
        "certificateHashes": hashes,
        "metrics": metrics,
    })
}
