//! `voxel-probe`: a client of another stack (wtransport on quinn) than either server's. It opens sessions, makes VOXEL
//! requests one after another in each, checks what comes and prints one JSON object.
#![forbid(unsafe_code)]

mod follow;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use clap::Parser;
use serde_json::json;
use voxel_protocol::flow::parse_datagram;
use wtransport::tls::Sha256Digest;
use wtransport::{ClientConfig, Connection, Endpoint};

/// Bytes of datagrams that are received and not yet read: this program must not lose any.
const DATAGRAM_BUFFER_BYTES: usize = 64 * 1024 * 1024;

/// Time for datagrams that were sent before the trailer and arrive after it.
const SETTLE: Duration = Duration::from_millis(50);

/// Makes VOXEL requests, checks the responses and prints a summary as JSON.
#[derive(Debug, Parser)]
struct Options {
    /// URL of the endpoint, such as https://127.0.0.1:4433/voxel
    endpoint: String,

    /// Base64 SHA-256 of the server's certificate
    #[arg(long)]
    hash: String,

    /// Path of the requested file
    #[arg(long)]
    target: String,

    /// Follow live segments from this number on, one after another: the path contains $Number$, --requests says how many
    #[arg(long, value_name = "NUMBER")]
    follow: Option<u64>,

    /// Request bodies as datagrams
    #[arg(long)]
    unreliable: bool,

    /// Path of a file to request as datagrams beside the others, cancelled at the end
    #[arg(long, value_name = "PATH")]
    flood: Option<String>,

    /// Number of sessions at a time
    #[arg(long, default_value_t = 1)]
    sessions: usize,

    /// Number of requests in each session
    #[arg(long, default_value_t = 1)]
    requests: u64,

    /// Seconds after which a session makes no more requests; 0 for no limit
    #[arg(long, default_value_t = 0)]
    seconds: u64,

    /// Milliseconds from one request of a session to the next; 0 for no pause
    #[arg(long, default_value_t = 0)]
    interval: u64,

    /// Milliseconds without a packet of the server's after which it is pinged; 0 for never
    #[arg(long, default_value_t = 0)]
    keep_alive: u64,
}

type AnyError = Box<dyn Error + Send + Sync>;

/// The result of a request.
#[derive(Clone, Copy, Debug)]
struct Answered {
    first_byte: Duration,
    whole: Duration,
    bytes: u64,
    sent: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Arc::new(Options::parse());
    let result = match options.follow {
        None => probe(options).await,
        Some(first) => follow::view(options, first).await,
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("voxel-probe: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all sessions at the same time. What they yield, and how many failed.
async fn run_sessions<T, F>(count: usize, run: impl Fn() -> F) -> Result<(Vec<T>, usize), AnyError>
where
    T: Send + 'static,
    F: Future<Output = Result<Vec<T>, AnyError>> + Send + 'static,
{
    let sessions: Vec<_> = (0..count).map(|_| tokio::spawn(run())).collect();
    let (mut answers, mut failures) = (Vec::new(), 0);
    for session in sessions {
        match session.await? {
            Ok(more) => answers.extend(more),
            Err(error) => {
                eprintln!("voxel-probe: {error}");
                failures += 1;
            }
        }
    }
    Ok((answers, failures))
}

async fn probe(options: Arc<Options>) -> Result<(), AnyError> {
    let started = Instant::now();
    let (answers, failures) = run_sessions(options.sessions, || run_session(Arc::clone(&options))).await?;
    let seconds = started.elapsed().as_secs_f64();
    let bytes: u64 = answers.iter().map(|it| it.bytes).sum();
    let sent: u64 = answers.iter().map(|it| it.sent).sum();
    let mut first: Vec<_> = answers.iter().map(|it| it.first_byte.as_secs_f64() * 1e3).collect();
    let mut whole: Vec<_> = answers.iter().map(|it| it.whole.as_secs_f64() * 1e3).collect();
    let lost_share = |sent: u64, bytes: u64| sent.saturating_sub(bytes) as f64 / sent.max(1) as f64;
    println!(
        "{}",
        json!({
            "requests": answers.len(),
            "failedSessions": failures,
            "seconds": seconds,
            "bytes": bytes,
            "lostShare": lost_share(sent, bytes),
            "lostShareMax": answers.iter().map(|it| lost_share(it.sent, it.bytes)).fold(0.0, f64::max),
            "mbps": 8e-6 * bytes as f64 / seconds,
            "firstByteMsP50": percentile(&mut first, 0.5),
            "firstByteMsP99": percentile(&mut first, 0.99),
            "wholeMsP50": percentile(&mut whole, 0.5),
        })
    );
    Ok(())
}

async fn run_session(options: Arc<Options>) -> Result<Vec<Answered>, AnyError> {
    let connection = connect(&options).await?;
    let flood = match &options.flood {
        None => None,
        Some(path) => Some(
            open(
                &connection,
                &format!("GET {path} HTTP/1.1\r\nhost: probe\r\nx-voxel-unreliable: ?1;flow=1000000\r\n\r\n"),
            )
            .await?,
        ),
    };
    let begun = Instant::now();
    let mut answers = Vec::new();
    for number in 0..options.requests {
        if options.seconds > 0 && begun.elapsed().as_secs() >= options.seconds {
            break;
        }
        tokio::time::sleep_until((begun + Duration::from_millis(options.interval * number)).into()).await;
        answers.push(request(&connection, &options, number).await?);
    }
    if let Some((_, stream)) = flood {
        stream.stop(wtransport::VarInt::from_u32(0));
    }
    connection.close(wtransport::VarInt::from_u32(0), b"");
    Ok(answers)
}

async fn connect(options: &Options) -> Result<Connection, AnyError> {
    let digest = base64::engine::general_purpose::STANDARD.decode(&options.hash)?;
    let digest: [u8; 32] = digest.try_into().map_err(|_| "--hash must be the base64 of 32 bytes")?;
    let mut config =
        ClientConfig::builder().with_bind_default().with_server_certificate_hashes([Sha256Digest::new(digest)]).build();
    let mut transport = wtransport::config::QuicTransportConfig::default();
    transport.datagram_receive_buffer_size(Some(DATAGRAM_BUFFER_BYTES));
    if options.keep_alive > 0 {
        transport.keep_alive_interval(Some(Duration::from_millis(options.keep_alive)));
    }
    config.quic_config_mut().transport_config(Arc::new(transport));
    Ok(Endpoint::client(config)?.connect(&options.endpoint).await?)
}

async fn open(
    connection: &Connection,
    head: &str,
) -> Result<(wtransport::SendStream, wtransport::RecvStream), AnyError> {
    let (mut send, receive) = connection.open_bi().await?.await?;
    send.write_all(head.as_bytes()).await?;
    send.finish().await?;
    Ok((send, receive))
}

async fn request(connection: &Connection, options: &Options, number: u64) -> Result<Answered, AnyError> {
    let unreliable =
        if options.unreliable { format!("x-voxel-unreliable: ?1;flow={number}\r\n") } else { String::new() };
    let begun = Instant::now();
    let head = format!("GET {} HTTP/1.1\r\nhost: probe\r\n{unreliable}\r\n", options.target);
    let (_send, mut stream) = open(connection, &head).await?;
    let (mut text, mut first, mut received) = (Vec::new(), None, 0);
    let mut buffer = vec![0; 64 * 1024];
    let mut body_read = 0;
    loop {
        tokio::select! {
            biased;
            datagram = connection.receive_datagram(), if options.unreliable || options.flood.is_some() => {
                let payload = datagram?.payload();
                let (flow, _, data) = parse_datagram(&payload).ok_or("received a malformed datagram")?;
                if options.unreliable && flow == number {
                    first.get_or_insert_with(|| begun.elapsed());
                    received += data.len() as u64;
                }
            }
            read = stream.read(&mut buffer) => match read? {
                None => break,
                // Only the head and the trailers matter.
                Some(count) if text.len() < 4096 => text.extend_from_slice(&buffer[..count]),
                Some(count) => body_read += count as u64,
            },
        }
    }
    let head_end =
        text.windows(4).position(|it| it == b"\r\n\r\n").ok_or("the stream ended within the response head")? + 4;
    let head = String::from_utf8_lossy(&text[..head_end]);
    if !head.starts_with("HTTP/1.1 20") {
        return Err(format!(
            "the response must begin with HTTP/1.1 20x, got {:?}",
            head.lines().next().unwrap_or_default()
        )
        .into());
    }
    if !options.unreliable {
        let bytes = (text.len() - head_end) as u64 + body_read;
        let length: u64 = field(&head, "content-length").ok_or("the response has no content-length")?;
        if bytes != length {
            return Err(format!("the body must have {length} bytes, got {bytes}").into());
        }
        let whole = begun.elapsed();
        return Ok(Answered { first_byte: first.unwrap_or(whole), whole, bytes, sent: bytes });
    }
    let trailers = String::from_utf8_lossy(&text[head_end..]);
    let sent: u64 = field(&trailers, "x-voxel-sent").ok_or("the response has no x-voxel-sent trailer")?;
    while received < sent {
        let Ok(datagram) = tokio::time::timeout(SETTLE, connection.receive_datagram()).await else { break };
        let payload = datagram?.payload();
        received +=
            parse_datagram(&payload).filter(|(flow, _, _)| *flow == number).map_or(0, |(_, _, data)| data.len() as u64);
    }
    let whole = begun.elapsed();
    Ok(Answered { first_byte: first.unwrap_or(whole), whole, bytes: received, sent })
}

/// The whole number that a field's value begins with.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))?;
    line.split(';').next()?.parse().ok()
}

fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get((share * values.len().saturating_sub(1) as f64) as usize).copied().unwrap_or(f64::NAN)
}
