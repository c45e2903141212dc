//! Listening sockets.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};

use socket2::{Domain, Protocol, SockRef, Socket, Type};

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

/// `count` UDP sockets of one port with large buffers, at least one; `::` accepts IPv4, too. The system gives all packets of a
/// client's address and port to the same socket.
pub fn bind_udp(host: &str, port: u16, count: usize) -> Result<Vec<UdpSocket>, ConfigurationError> {
    let open = |address: SocketAddr, share: fn(&Socket) -> io::Result<()>| {
        let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_recv_buffer_size(UDP_BUFFER_BYTES)?;
        socket.set_send_buffer_size(UDP_BUFFER_BYTES)?;
        share(&socket)?;
        bind(&socket, address)?;
        Ok::<_, io::Error>(UdpSocket::from(socket))
    };
    let all = |address| {
        // The first one does not share, so that a port that another server has is an error: they would get half of each other's
        // clients.
        let first = open(address, |_| Ok(()))?;
        let address = first.local_addr()?;
        let mut sockets = vec![first];
        while sockets.len() < count {
            SockRef::from(&sockets[0]).set_reuse_port(true)?;
            sockets.push(open(address, |socket| socket.set_reuse_port(true))?);
        }
        Ok(sockets)
    };
    all(resolve(host, port)?).map_err(|error| cannot_listen("UDP", host, port, &error))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_share_a_port_with_each_other_and_with_nobody_else() {
        for count in [1, 3] {
            let sockets = bind_udp("127.0.0.1", 0, count).unwrap();
            let port = sockets[0].local_addr().unwrap().port();
            assert_eq!(sockets.len(), count);
            assert!(sockets.iter().all(|socket| socket.local_addr().unwrap().port() == port));
            assert!(bind_udp("127.0.0.1", port, count).is_err(), "{count}");
        }
    }
}
