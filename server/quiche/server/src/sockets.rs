//! Listening sockets.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};

use socket2::{Domain, Protocol, Socket, Type};

use crate::configuration_error::ConfigurationError;

/// Buffers that are requested from the system, which may grant less. A burst of a whole congestion window must not be
/// lost on this machine.
const UDP_BUFFER_BYTES: usize = 4 * 1024 * 1024;

const BACKLOG: i32 = 1024;

/// A TCP socket; `::` accepts IPv4, too.
pub fn bind_tcp(host: &str, port: u16) -> Result<TcpListener, ConfigurationError> {
    let listen = |address: SocketAddr| {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        bind(&socket, address)?;
        socket.listen(BACKLOG)?;
        Ok(socket.into())
    };
    listen(resolve(host, port)?).map_err(|error| cannot_listen("TCP", host, port, &error))
}

/// A UDP socket with large buffers; `::` accepts IPv4, too.
pub fn bind_udp(host: &str, port: u16) -> Result<UdpSocket, ConfigurationError> {
    let open = |address: SocketAddr| {
        let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_recv_buffer_size(UDP_BUFFER_BYTES)?;
        socket.set_send_buffer_size(UDP_BUFFER_BYTES)?;
        bind(&socket, address)?;
        Ok(socket.into())
    };
    open(resolve(host, port)?).map_err(|error| cannot_listen("UDP", host, port, &error))
}

fn bind(socket: &Socket, address: SocketAddr) -> io::Result<()> {
    if address.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())
}

fn resolve(host: &str, port: u16) -> Result<SocketAddr, ConfigurationError> {
    let unknown = || ConfigurationError(format!("unknown host: {host}"));
    (host, port).to_socket_addrs().map_err(|_| unknown())?.next().ok_or_else(unknown)
}

fn cannot_listen(transport: &str, host: &str, port: u16, error: &io::Error) -> ConfigurationError {
    ConfigurationError(format!("cannot listen on {transport} {host} port {port}: {}", plain(error)))
}

/// A host as URLs have it.
pub fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

/// The error's message without the error number that Rust appends.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.clone(), |(words, _)| words.to_owned())
}
