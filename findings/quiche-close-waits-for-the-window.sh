#!/bin/bash
# quiche keeps a connection's closing packet back while its congestion window is full.
#
# Guess: after `close()` the next `send()` gives the packet with CONNECTION_CLOSE, whatever is in flight: packets with nothing but ACK and
# CONNECTION_CLOSE frames do not count toward congestion control (RFC 9002 section 2, "in-flight").
# Seen (quiche 0.30.0, a server and a client in one process, CUBIC): with the window full `send()` after `close()` says `Done` and nothing leaves; nor
# does it when the client has acknowledged all that was in flight, as what comes in after `close()` is not read. The packet leaves with the first probe
# timeout.
# Matters for servers that stop in the middle of downloads: one that ends its loop after `close()` and `send()` tells these clients nothing, and they
# wait for their idle timeout. Go on with timeouts and `send()` until `is_draining()`.
. "$(dirname "$0")/support/setup.sh"
need cargo cmake c++ openssl
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout key.pem -out certificate.pem 2> openssl.log
cargo init --quiet --name shown . 2> cargo.log
echo 'quiche = "=0.30.0"' >> Cargo.toml
cat > src/main.rs << 'END'
use std::net::SocketAddr;

use quiche::{Config, Connection, ConnectionId, RecvInfo};

fn config() -> Config {
    let mut config = Config::new(quiche::PROTOCOL_VERSION).unwrap();
    config.set_application_protos(&[b"shown"]).unwrap();
    config.verify_peer(false);
    config.set_initial_max_data(10_000_000);
    config.set_initial_max_stream_data_bidi_local(10_000_000);
    config.set_initial_max_stream_data_bidi_remote(10_000_000);
    config.set_initial_max_streams_bidi(1);
    config
}

/// The packets that one side has to send now.
fn packets(from: &mut Connection) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut packet = [0; 1350];
    while let Ok((length, _)) = from.send(&mut packet) {
        all.push(packet[..length].to_vec());
    }
    all
}

/// Why the server has closed the connection, as far as the client knows.
fn told(client: &Connection) -> Option<String> {
    client.peer_error().map(|error| String::from_utf8_lossy(&error.reason).into_owned())
}

fn main() {
    let [client_at, server_at] = [1, 2].map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    let mut server_config = config();
    server_config.load_cert_chain_from_pem_file("certificate.pem").unwrap();
    server_config.load_priv_key_from_pem_file("key.pem").unwrap();
    let ids = [[1; 16], [2; 16]];
    let mut client = quiche::connect(None, &ConnectionId::from_ref(&ids[0]), client_at, server_at, &mut config()).unwrap();
    let mut server = quiche::accept(&ConnectionId::from_ref(&ids[1]), None, server_at, client_at, &mut server_config).unwrap();
    let (to_server, to_client) = (RecvInfo { from: client_at, to: server_at }, RecvInfo { from: server_at, to: client_at });
    for _ in 0..4 {
        packets(&mut client).iter_mut().for_each(|packet| drop(server.recv(packet, to_server)));
        packets(&mut server).iter_mut().for_each(|packet| drop(client.recv(packet, to_client)));
    }
    client.stream_send(0, b"a request", true).unwrap();
    packets(&mut client).iter_mut().for_each(|packet| drop(server.recv(packet, to_server)));

    // As much of an answer as the window takes, all of it under way.
    while server.stream_send(0, &[0; 100_000], false).is_ok_and(|taken| taken > 0) {}
    let mut data = packets(&mut server);
    println!("in flight: {} packets; window: {} bytes", data.len(), server.path_stats().next().unwrap().cwnd);
    server.close(true, 0x100, b"the server is stopping").unwrap();
    let at_once = packets(&mut server).len();
    println!("packets after close(): {at_once}");

    data.iter_mut().for_each(|packet| drop(client.recv(packet, to_client)));
    packets(&mut client).iter_mut().for_each(|packet| drop(server.recv(packet, to_server)));
    packets(&mut server).iter_mut().for_each(|packet| drop(client.recv(packet, to_client)));
    let acknowledged = told(&client);
    println!("after the client's acknowledgements it has been told: {acknowledged:?}");

    std::thread::sleep(server.timeout().unwrap());
    server.on_timeout();
    packets(&mut server).iter_mut().for_each(|packet| drop(client.recv(packet, to_client)));
    println!("after a timeout it has been told: {:?}", told(&client));
    let as_seen = at_once == 0 && acknowledged.is_none() && told(&client).as_deref() == Some("the server is stopping");
    std::process::exit(i32::from(!as_seen));
}
END
echo 'building quiche, some minutes ...'
cargo build --quiet 2> cargo.log || lacking "cannot build quiche: $(tail -n 1 cargo.log)"
grep -A 1 '^name = "quiche"' Cargo.lock
cargo run --quiet 2> cargo.log
