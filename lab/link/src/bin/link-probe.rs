//! Measures what a link does: one side sends numbered UDP packets at a steady rate, the other writes down when they
//! come.
//!
//! `link-probe serve ADDRESS [PIPE]` answers one request and ends. `link-probe measure ADDRESS PACKETS BYTES MBPS
//! [PIPE]` asks for that number of packets, each with BYTES on the link, and prints `sequence,sent_us,arrived_us` for
//! each that arrives; time 0 is when its request left, which is also the link's. Through the named pipe the client
//! learns that the server listens, so that the first packet on the link is the request and not a refusal; without a
//! pipe it waits 300 ms.

#![forbid(unsafe_code)]

use std::{
    env,
    error::Error,
    fs::File,
    io::{self, BufWriter, ErrorKind, Write},
    net::{SocketAddr, UdpSocket},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// IPv4 and UDP headers.
const HEADER_BYTES: usize = 28;

/// Given to the server to start listening when there is no pipe.
const SETTLE: Duration = Duration::from_millis(300);

/// Silence after which nothing more is expected. Waited out only where the last packet was lost; a busy machine is silent for seconds.
const SILENCE: Duration = Duration::from_secs(20);

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve", address, pipe @ ..] if pipe.len() <= 1 => serve(address.parse()?, pipe.first().copied()),
        ["measure", address, packets, bytes, mbps, pipe @ ..] if pipe.len() <= 1 => {
            let flow = Flow { packets: packets.parse()?, bytes: bytes.parse()?, mbps: mbps.parse()? };
            await_server(pipe.first().copied())?;
            measure(address.parse()?, &flow)
        }
        _ => Err("usage: link-probe serve ADDRESS [PIPE] | measure ADDRESS PACKETS BYTES MBPS [PIPE]".into()),
    }
}

struct Flow {
    packets: u32,
    bytes: usize,
    mbps: f64,
}

/// Opening one end of a named pipe waits until the other end is opened, too.
fn await_server(pipe: Option<&str>) -> io::Result<()> {
    let Some(pipe) = pipe else {
        thread::sleep(SETTLE);
        return Ok(());
    };
    File::open(pipe).map(drop)
}

fn serve(address: SocketAddr, pipe: Option<&str>) -> Result<(), Box<dyn Error>> {
    let socket = UdpSocket::bind(address)?;
    if let Some(pipe) = pipe {
        File::options().write(true).open(pipe)?;
    }
    let mut request = [0; 100];
    let (length, client) = socket.recv_from(&mut request)?;
    let request = String::from_utf8_lossy(&request[..length]).into_owned();
    let [packets, bytes, mbps] = request.split(' ').collect::<Vec<_>>()[..] else {
        return Err(format!("the request must be PACKETS BYTES MBPS, got {request:?}").into());
    };
    let flow = Flow { packets: packets.parse()?, bytes: bytes.parse()?, mbps: mbps.parse()? };
    let interval = Duration::from_secs_f64(8.0 * flow.bytes as f64 / (flow.mbps * 1e6));
    let mut payload = vec![
        0;
        flow.bytes
            .checked_sub(HEADER_BYTES)
            .ok_or_else(|| format!("BYTES must be at least {HEADER_BYTES}, got {}", flow.bytes))?
            .max(12)
    ];
    let start = Instant::now();
    for sequence in 0..flow.packets {
        thread::sleep((start + interval * sequence).saturating_duration_since(Instant::now()));
        payload[..4].copy_from_slice(&sequence.to_be_bytes());
        payload[4..12].copy_from_slice(&microseconds().to_be_bytes());
        socket.send_to(&payload, client)?;
    }
    Ok(())
}

fn measure(server: SocketAddr, flow: &Flow) -> Result<(), Box<dyn Error>> {
    let socket = UdpSocket::bind((if server.is_ipv4() { "0.0.0.0" } else { "::" }, 0))?;
    socket.connect(server)?;
    socket.set_read_timeout(Some(SILENCE))?;
    let start = microseconds();
    socket.send(format!("{} {} {}", flow.packets, flow.bytes, flow.mbps).as_bytes())?;
    let mut arrivals = Vec::with_capacity(flow.packets as usize);
    let mut payload = vec![0; 65_535];
    loop {
        let length = match socket.recv(&mut payload) {
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => return Err(error.into()),
        };
        let arrived = microseconds();
        if length < 12 {
            return Err(format!("received a packet of {length} bytes, which link-probe did not send").into());
        }
        let sequence = u32::from_be_bytes(payload[..4].try_into()?);
        arrivals.push((sequence, u64::from_be_bytes(payload[4..12].try_into()?), arrived));
        if sequence + 1 == flow.packets {
            break;
        }
    }
    let mut output = BufWriter::new(io::stdout().lock());
    writeln!(output, "sequence,sent_us,arrived_us")?;
    for (sequence, sent, arrived) in arrivals {
        writeln!(output, "{sequence},{},{}", sent - start, arrived - start)?;
    }
    Ok(output.flush()?)
}

/// A clock that both sides read alike.
fn microseconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is set").as_micros() as u64
}
