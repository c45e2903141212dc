//! `voxel-peer FILE`: what voxel-quiche is measured beside (`npm run bench -- server-peers`), the least server on wtransport (quinn) that answers
//! `voxel-probe`. Whatever a request asks for, the answer is the file, on the stream or as datagrams. It has no range, deadline, order, parity
//! or repair. Prints a JSON object with the endpoint and the certificate's hash once it answers.
#![forbid(unsafe_code)]

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};

use base64::Engine;
use bytes::Bytes;
use serde_json::json;
use voxel_protocol::varint;
use wtransport::{Connection, Endpoint, Identity, RecvStream, SendStream, ServerConfig};

/// Most bytes of a datagram besides what stands before them: a packet is then as long as voxel-quiche's.
const PAYLOAD_BYTES: usize = 1300;

/// Most bytes of three numbers before a datagram's payload.
const PREFIX_BYTES: usize = 24;

/// Longest request.
const HEAD_BYTES: usize = 4096;

type AnyError = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), AnyError> {
    let file = std::env::args().nth(1).ok_or("usage: voxel-peer FILE")?;
    let body = Bytes::from(std::fs::read(file)?);
    let identity = Identity::self_signed(["127.0.0.1"])?;
    let hash = identity.certificate_chain().as_slice()[0].hash();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Endpoint::server(ServerConfig::builder().with_bind_address(address).with_identity(identity).build())?;
    let hash = base64::engine::general_purpose::STANDARD.encode(hash.as_ref());
    let endpoint = format!("https://127.0.0.1:{}/voxel", server.local_addr()?.port());
    println!("{}", json!({ "endpoint": endpoint, "certificateHashes": [hash] }));
    loop {
        let incoming = server.accept().await;
        let body = body.clone();
        tokio::spawn(async move {
            let session = async { Ok::<_, AnyError>(incoming.await?.accept().await?) };
            match session.await {
                Ok(connection) => serve(connection, body).await,
                Err(error) => eprintln!("voxel-peer: {error}"),
            }
        });
    }
}

async fn serve(connection: Connection, body: Bytes) {
    while let Ok((send, receive)) = connection.accept_bi().await {
        if let Err(error) = answer(&connection, send, receive, &body).await {
            eprintln!("voxel-peer: {error}");
        }
    }
}

async fn answer(
    connection: &Connection,
    mut send: SendStream,
    mut receive: RecvStream,
    body: &Bytes,
) -> Result<(), AnyError> {
    let (mut head, mut buffer) = (Vec::new(), [0; HEAD_BYTES]);
    while let Some(count) = receive.read(&mut buffer).await? {
        head.extend_from_slice(&buffer[..count]);
        if head.len() > HEAD_BYTES {
            return Err("the request is too long".into());
        }
    }
    let head = String::from_utf8_lossy(&head);
    let flow = head.split_once("x-voxel-unreliable: ?1;flow=").and_then(|(_, rest)| rest.lines().next()?.parse().ok());
    let Some(flow) = flow else {
        send.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes()).await?;
        send.write_all(body).await?;
        return Ok(send.finish().await?);
    };
    // wtransport drops the oldest datagrams where its queue is full; quinn can wait.
    let quic = connection.quic_connection();
    let quarter = connection.session_id().into_u64() / 4;
    let mut offset = 0;
    while offset < body.len() {
        // Less until quinn has found that the path carries larger packets.
        let room = quic.max_datagram_size().ok_or("the client takes no datagrams")?.saturating_sub(PREFIX_BYTES);
        let payload = &body[offset..body.len().min(offset + room.min(PAYLOAD_BYTES))];
        let mut datagram = Vec::with_capacity(payload.len() + PREFIX_BYTES);
        for value in [quarter, flow, offset as u64] {
            varint::encode(value, &mut datagram);
        }
        datagram.extend_from_slice(payload);
        quic.send_datagram_wait(datagram.into()).await?;
        offset += payload.len();
    }
    send.write_all(format!("HTTP/1.1 200 OK\r\n\r\n0\r\nx-voxel-sent: {}\r\n\r\n", body.len()).as_bytes()).await?;
    Ok(send.finish().await?)
}
