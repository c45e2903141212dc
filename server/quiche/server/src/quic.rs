//! How QUIC is set up, and what of quiche's behaviour the server relies on. Verified with quiche 0.30.0:
//!
//! - `send` alternates between stream packets and queued datagrams, and keeps every queued datagram until it is sent.
//!   So the queue holds at most one datagram for the time of one call: it is queued only when `send` has nothing else
//!   to send, and removed again (`dgram_purge_outgoing`) when the congestion window did not allow it
//!   ([`crate::connection`]).
//! - `stream_send_zc` takes no more than the congestion window has room for; the rest waits in [`crate::responses`].
//! - CUBIC and Reno are not paced (`SendInfo::at` is now), BBRv2 is (`get_next_release_time`).
//! - BBRv2 takes the rate of a sender that asks for little, as a live stream does, for that of the path: it paces such a
//!   stream at about its own rate and lets ten packets be in flight. So its least window is larger here, and
//!   [`crate::connection`] lets some packets leave at once after a time with nothing to send.
//! - CUBIC undoes the reduction of its window unless a fifth of the window was lost. So [`voxel_protocol::window`]
//!   keeps a second window, and the smaller of both applies.
//! - It tells neither how many bytes are in flight nor the latest round trip; bytes that are lost of the whole connection alone, of a path
//!   always 0. [`voxel_protocol::flight`] counts the first, `connection::live` finds the second.
//! - After a change of the client's address it never finds what was in flight on the old path: `connection::old_paths`.
//! - `quiche::h3` knows no WebTransport streams. HTTP/3's framing is [`voxel_protocol::framing`]; quiche's QPACK, which
//!   has no dynamic table, is used as it is.

use std::time::Duration;

use boring::ssl::{SslContextBuilder, SslMethod};
use bytes::Bytes;
use clap::ValueEnum;
use quiche::{BbrParams, BufFactory, Config, CongestionControlAlgorithm};

use crate::certificate::Certificate;
use crate::configuration_error::ConfigurationError;

/// Stream data that quiche keeps until they are acknowledged are the response's own: they are copied into packets, and nowhere else.
#[derive(Clone, Debug, Default)]
pub struct SharedBuffers;

impl BufFactory for SharedBuffers {
    type Buf = Bytes;
    type DgramBuf = Vec<u8>;

    fn buf_from_slice(data: &[u8]) -> Bytes {
        Bytes::copy_from_slice(data)
    }

    fn dgram_buf_from_slice(data: &[u8]) -> Vec<u8> {
        data.into()
    }
}

/// A connection of this server.
pub type QuicConnection = quiche::Connection<SharedBuffers>;

/// UDP payload of a packet: with its headers it fits every path of 1400 bytes, tunnels included.
pub const PACKET_BYTES: usize = 1350;

/// Time for which a connection may be without a packet. Browsers offer 30 s.
const IDLE: Duration = Duration::from_secs(60);

/// Flow control of a stream: requests are at most 64 KiB each.
const STREAM_WINDOW: u64 = 128 * 1024;
const CONNECTION_WINDOW: u64 = 1024 * 1024;

/// Addresses of a client that a connection may know, and as many connection IDs of either side. quiche forgets none of
/// them while the client has connection IDs left for it: a client can change its address one time less often.
const PATHS: u64 = 16;

/// Streams of a client's requests: more than the limit of those in flight, so that requests above it can be answered
/// with 429.
const BIDIRECTIONAL_STREAMS: u64 = 128;

/// Streams without requests: HTTP/3 needs three, and clients open some of unknown types.
const UNIDIRECTIONAL_STREAMS: u64 = 16;

/// Queue for datagrams from clients, which are dropped: it announces that this server supports datagrams.
const DATAGRAM_QUEUE: usize = 16;

/// BBRv2's least window: a key frame of a live stream leaves within a round trip or two, and the next chunk need not wait until the
/// last one is acknowledged. As many packets as short queues hold.
const LEAST_WINDOW_PACKETS: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CongestionControl {
    Cubic,
    Reno,
    /// BBRv2.
    Bbr,
    /// The same under the name that voxel-serve uses.
    BbrIfAvailable,
}

/// What `--live-control` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LiveControlChoice {
    /// A window by delay.
    Delay,
    /// That of all other sessions.
    Ordinary,
}

/// The configuration of new connections, with this certificate.
pub fn config(certificate: &Certificate, congestion_control: CongestionControl) -> Result<Config, ConfigurationError> {
    let failed = |error: &dyn std::error::Error| ConfigurationError(format!("cannot set up TLS: {error}"));
    let mut tls = SslContextBuilder::new(SslMethod::tls()).map_err(|error| failed(&error))?;
    install(certificate, &mut tls).map_err(|error| failed(&error))?;
    let mut config =
        Config::with_boring_ssl_ctx_builder(quiche::PROTOCOL_VERSION, tls).map_err(|error| failed(&error))?;
    config.set_application_protos(quiche::h3::APPLICATION_PROTOCOL).map_err(|error| failed(&error))?;
    config.set_cc_algorithm(match congestion_control {
        CongestionControl::Cubic => CongestionControlAlgorithm::CUBIC,
        CongestionControl::Reno => CongestionControlAlgorithm::Reno,
        CongestionControl::Bbr | CongestionControl::BbrIfAvailable => CongestionControlAlgorithm::Bbr2Gcongestion,
    });
    config.set_custom_bbr_params(BbrParams { min_cwnd_packets: Some(LEAST_WINDOW_PACKETS), ..BbrParams::default() });
    config.set_max_idle_timeout(IDLE.as_millis() as u64);
    config.set_max_send_udp_payload_size(PACKET_BYTES);
    config.set_initial_max_data(CONNECTION_WINDOW);
    config.set_initial_max_stream_data_bidi_remote(STREAM_WINDOW);
    config.set_initial_max_stream_data_uni(STREAM_WINDOW);
    config.set_initial_max_streams_bidi(BIDIRECTIONAL_STREAMS);
    config.set_initial_max_streams_uni(UNIDIRECTIONAL_STREAMS);
    config.set_active_connection_id_limit(PATHS);
    config.set_max_connection_window(CONNECTION_WINDOW);
    config.set_max_stream_window(STREAM_WINDOW);
    config.enable_dgram(true, DATAGRAM_QUEUE, 1);
    Ok(config)
}

/// TLS for TCP connections.
pub fn tcp_tls(certificate: &Certificate) -> Result<boring::ssl::SslAcceptor, boring::error::ErrorStack> {
    let mut builder = boring::ssl::SslAcceptor::mozilla_intermediate_v5(SslMethod::tls())?;
    install(certificate, &mut builder)?;
    Ok(builder.build())
}

fn install(certificate: &Certificate, builder: &mut SslContextBuilder) -> Result<(), boring::error::ErrorStack> {
    builder.set_certificate(&certificate.chain[0])?;
    for intermediate in &certificate.chain[1..] {
        builder.add_extra_chain_cert(intermediate.clone())?;
    }
    builder.set_private_key(&certificate.key)?;
    builder.check_private_key()
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::SystemTime;

    use quiche::{Connection, ConnectionId, RecvInfo, h3};

    use super::*;
    use crate::certificate::make;

    /// Carries packets both ways until neither side has any.
    fn exchange(client: &mut Connection, server: &mut Connection) {
        let mut packet = [0; PACKET_BYTES];
        loop {
            let mut any = false;
            for from_client in [true, false] {
                let (from, to) = if from_client { (&mut *client, &mut *server) } else { (&mut *server, &mut *client) };
                while let Ok((length, info)) = from.send(&mut packet) {
                    to.recv(&mut packet[..length], RecvInfo { from: info.from, to: info.to }).unwrap();
                    any = true;
                }
            }
            if !any {
                return;
            }
        }
    }

    /// The reason for our own framing.
    #[test]
    fn quiches_http3_hands_over_nothing_of_a_webtransport_stream() {
        let certificate = make(&["localhost".to_owned()].into(), SystemTime::now()).unwrap();
        let mut server_config = config(&certificate, CongestionControl::Cubic).unwrap();
        let mut client_config = Config::new(quiche::PROTOCOL_VERSION).unwrap();
        client_config.set_application_protos(h3::APPLICATION_PROTOCOL).unwrap();
        client_config.verify_peer(false);
        client_config.set_initial_max_data(CONNECTION_WINDOW);
        client_config.set_initial_max_streams_uni(UNIDIRECTIONAL_STREAMS);
        client_config.set_initial_max_stream_data_uni(STREAM_WINDOW);
        client_config.set_initial_max_stream_data_bidi_local(STREAM_WINDOW);
        let (one, other) = (SocketAddr::from(([127, 0, 0, 1], 1)), SocketAddr::from(([127, 0, 0, 1], 2)));
        let (first, second) = (ConnectionId::from_ref(&[1; 16]), ConnectionId::from_ref(&[2; 16]));
        let mut client = quiche::connect(None, &first, one, other, &mut client_config).unwrap();
        let mut server = quiche::accept(&second, None, other, one, &mut server_config).unwrap();
        exchange(&mut client, &mut server);
        let mut http3 = h3::Connection::with_transport(&mut server, &h3::Config::new().unwrap()).unwrap();

        let mut stream = vec![0x40, 0x41, 0x00];
        stream.extend_from_slice(b"GET /media.mp4 HTTP/1.1\r\nhost: localhost\r\n\r\n");
        client.stream_send(0, &stream, true).unwrap();
        exchange(&mut client, &mut server);
        while let Ok((_, event)) = http3.poll(&mut server) {
            assert!(!matches!(event, h3::Event::Headers { .. } | h3::Event::Data), "{event:?}");
        }
    }
}
