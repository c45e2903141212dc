//! web-transport-quinn.

use interop::{AnyError, Session};
use url::Url;
use web_transport_quinn::{Client, ClientBuilder, RecvStream, SendStream, proto::ConnectRequest};

struct WebTransportQuinn(
    web_transport_quinn::Session,
    #[expect(dead_code, reason = "the connection ends with it")] Client,
);

impl WebTransportQuinn {
    async fn stream(&self, text: &str) -> Result<(SendStream, RecvStream), AnyError> {
        let (mut send, receive) = self.0.open_bi().await?;
        send.write_all(text.as_bytes()).await?;
        Ok((send, receive))
    }
}

impl Session for WebTransportQuinn {
    async fn open(endpoint: &str, hash: [u8; 32]) -> Result<Self, AnyError> {
        let client = ClientBuilder::new().with_server_certificate_hashes(vec![hash.to_vec()])?;
        let request = ConnectRequest::new(Url::parse(endpoint)?).with_protocol("voxel-1");
        let session = client.connect(request).await?;
        match session.protocol() {
            Some("voxel-1") => Ok(Self(session, client)),
            other => Err(format!("the protocol is {other:?}").into()),
        }
    }

    async fn request(&self, head: &str) -> Result<Vec<u8>, AnyError> {
        let (mut send, mut receive) = self.stream(head).await?;
        send.finish()?;
        Ok(receive.read_to_end(16_000_000).await?)
    }

    async fn datagram(&self) -> Result<Vec<u8>, AnyError> {
        Ok(self.0.read_datagram().await?.to_vec())
    }

    async fn reset(&self, half: &str) -> Result<(), AnyError> {
        let (mut send, _receive) = self.stream(half).await?;
        Ok(send.reset(5)?)
    }

    async fn stop(&self, head: &str) -> Result<(), AnyError> {
        let (_send, mut receive) = self.stream(head).await?;
        receive.read(&mut [0; 1000]).await?;
        Ok(receive.stop(6)?)
    }

    async fn close(self, code: u32, reason: &str) {
        self.0.close(code, reason.as_bytes());
        self.0.closed().await;
    }
}

#[tokio::main]
async fn main() -> Result<(), AnyError> {
    interop::run::<WebTransportQuinn>().await
}
