//! wtransport.

use interop::{AnyError, Session};
use wtransport::tls::Sha256Digest;
use wtransport::{ClientConfig, Connection, Endpoint, RecvStream, SendStream, VarInt};

struct Wtransport(Connection, Endpoint<wtransport::endpoint::endpoint_side::Client>);

impl Wtransport {
    async fn stream(&self, text: &str) -> Result<(SendStream, RecvStream), AnyError> {
        let (mut send, receive) = self.0.open_bi().await?.await?;
        send.write_all(text.as_bytes()).await?;
        Ok((send, receive))
    }
}

impl Session for Wtransport {
    async fn open(endpoint: &str, hash: [u8; 32]) -> Result<Self, AnyError> {
        let hashes = [Sha256Digest::new(hash)];
        let config = ClientConfig::builder().with_bind_default().with_server_certificate_hashes(hashes).build();
        let client = Endpoint::client(config)?;
        Ok(Self(client.connect(endpoint).await?, client))
    }

    async fn request(&self, head: &str) -> Result<Vec<u8>, AnyError> {
        let (mut send, mut receive) = self.stream(head).await?;
        send.finish().await?;
        let (mut answer, mut buffer) = (Vec::new(), vec![0; 65536]);
        while let Some(count) = receive.read(&mut buffer).await? {
            answer.extend_from_slice(&buffer[..count]);
        }
        Ok(answer)
    }

    async fn datagram(&self) -> Result<Vec<u8>, AnyError> {
        Ok(self.0.receive_datagram().await?.payload().to_vec())
    }

    async fn reset(&self, half: &str) -> Result<(), AnyError> {
        let (mut send, _receive) = self.stream(half).await?;
        Ok(send.reset(VarInt::from_u32(5))?)
    }

    async fn stop(&self, head: &str) -> Result<(), AnyError> {
        let (_send, mut receive) = self.stream(head).await?;
        receive.read(&mut [0; 1000]).await?;
        receive.stop(VarInt::from_u32(6));
        Ok(())
    }

    /// The library closes the QUIC connection.
    async fn close(self, code: u32, reason: &str) {
        self.0.close(VarInt::from_u32(code), reason.as_bytes());
        self.1.wait_idle().await;
    }
}

#[tokio::main]
async fn main() -> Result<(), AnyError> {
    interop::run::<Wtransport>().await
}
