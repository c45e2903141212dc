//! `--check-health`: what container tools ask, which have no other program in the image.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::time::Duration;

/// Time for each step of the exchange.
const PATIENCE: Duration = Duration::from_secs(2);

/// Longest answer that is read.
const ANSWER_BYTES: u64 = 4096;

/// Asks the server whose counters are at `HOST:PORT`, and prints its answer.
pub fn check(address: &str) -> ExitCode {
    match ask(address) {
        Ok((true, answer)) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Ok((false, answer)) => {
            eprintln!("voxel-quiche: not well: {answer}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("voxel-quiche: no answer from {address}: {}", crate::sockets::plain(&error));
            ExitCode::FAILURE
        }
    }
}

/// Whether the server is well, and the line that it says so with.
fn ask(address: &str) -> io::Result<(bool, String)> {
    let none = || io::Error::other("unknown host");
    let mut stream = TcpStream::connect_timeout(&address.to_socket_addrs()?.next().ok_or_else(none)?, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET /health HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(ANSWER_BYTES).read_to_string(&mut answer)?;
    let body = answer.split_once("\r\n\r\n").map_or(answer.as_str(), |(_, body)| body);
    Ok((answer.starts_with("HTTP/1.1 200 "), body.trim().to_owned()))
}
