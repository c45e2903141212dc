"""Plays the entries of `corpus/http3.toml` with a client that knows no rules: whatever an entry says is sent."""

import asyncio
import ssl
from dataclasses import dataclass, field

import pylsqpack
from aioquic._buffer import Buffer, BufferReadError
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import H3_ALPN, ErrorCode, FrameType
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, QuicEvent, StreamDataReceived, StreamReset

from .corpus import TIMEOUT_SECONDS, Entry, expanded

ORDINARY = [":method: GET", ":scheme: https", ":authority: localhost", ":path: /empty.bin"]

STREAMS = 100
"""Requests on one connection; both servers allow more."""

CONTROL = ["00 04 00"]
"""The control stream with an empty SETTINGS frame."""


@dataclass
class _Stream:
    data: bytes = b""
    ended: bool = False
    reset: int | None = None


@dataclass
class _Seen:
    streams: dict[int, _Stream] = field(default_factory=dict)
    closed: int | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class RawClient(QuicConnectionProtocol):
    """Keeps what comes."""

    def __init__(self, quic: QuicConnection) -> None:
        super().__init__(quic)
        self.seen = _Seen()

    def quic_event_received(self, event: QuicEvent) -> None:
        match event:
            case StreamDataReceived():
                stream = self.seen.streams.setdefault(event.stream_id, _Stream())
                stream.data += event.data
                stream.ended |= event.end_stream
            case StreamReset():
                self.seen.streams.setdefault(event.stream_id, _Stream()).reset = event.error_code
            case ConnectionTerminated():
                self.seen.closed = event.error_code
        self.seen.changed.set()

    def send(self, data: bytes, *, fin: bool, unidirectional: bool = False) -> int:
        stream_id = self._quic.get_next_available_stream_id(is_unidirectional=unidirectional)
        self._quic.send_stream_data(stream_id, data, end_stream=fin)
        return stream_id

    async def answer(self, stream_id: int, *, is_open: bool) -> int | str:
        """The answer as entries say it. `is_open`: the response does not end either."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while True:
                stream = self.seen.streams.get(stream_id, _Stream())
                status = _status(stream.data)
                if self.seen.closed is not None:
                    return f"close {_name(self.seen.closed)}"
                if stream.reset is not None:
                    return f"reset {_name(stream.reset)}"
                if status is not None and (stream.ended or is_open):
                    return status
                self.seen.changed.clear()
                await self.seen.changed.wait()


class Http3Player:
    """Plays entries, on one connection as long as they leave it alone: most of an entry's time is the handshake."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._client: RawClient | None = None

    def play(self, entry: Entry) -> tuple[int | str, bool]:
        """The answer, and whether another request is answered after it."""
        return self._loop.run_until_complete(self._play(entry))

    def close(self) -> None:
        self._loop.run_until_complete(self._disconnect())
        self._loop.close()

    async def _play(self, entry: Entry) -> tuple[int | str, bool]:
        is_open = entry.get("open", False)
        if self._client is None or is_open or "uni" in entry:
            await self._disconnect()
            self._client = await self._connect(entry.get("uni", CONTROL))
        client = self._client
        stream_id = client.send(request_stream(entry), fin=not is_open)
        client.transmit()
        answer = await client.answer(stream_id, is_open=is_open)
        kept = False
        if client.seen.closed is None:
            stream_id = client.send(_frame(FrameType.HEADERS, encode_section(ORDINARY)), fin=True)
            client.transmit()
            kept = await client.answer(stream_id, is_open=False) == 200
        if not kept or is_open or "uni" in entry or stream_id > 4 * STREAMS:
            await self._disconnect()
        return answer, kept

    async def _connect(self, unidirectional: list[str]) -> RawClient:
        configuration = QuicConfiguration(
            alpn_protocols=H3_ALPN, is_client=True, max_datagram_frame_size=65536, verify_mode=ssl.CERT_NONE
        )
        _, client = await self._loop.create_datagram_endpoint(
            lambda: RawClient(QuicConnection(configuration=configuration)), local_addr=("127.0.0.1", 0)
        )
        client.connect(("127.0.0.1", self._port))
        await client.wait_connected()
        for stream in unidirectional:
            data = bytes.fromhex(stream.removesuffix("FIN"))
            client.send(data, fin=stream.endswith("FIN"), unidirectional=True)
        return client

    async def _disconnect(self) -> None:
        """Without the wait for the end of the closing period."""
        client, self._client = self._client, None
        if client is not None:
            client.close()
            assert client._transport is not None
            client._transport.close()
            await asyncio.sleep(0)


def request_stream(entry: Entry) -> bytes:
    """What an entry sends on its request stream."""
    return b"".join(_encode(frame, entry) for frame in entry.get("frames", ["HEAD"]))


def _encode(frame: str, entry: Entry) -> bytes:
    kind, _, text = frame.partition(" ")
    content = expanded(text, "").encode("latin-1")
    match kind:
        case "HEAD":
            section = bytes.fromhex(entry["block"]) if "block" in entry else encode_section(_head(entry))
            return _frame(FrameType.HEADERS, section)
        case "DATA":
            return _frame(FrameType.DATA, content)
        case "TRAILERS":
            return _frame(FrameType.HEADERS, encode_section([text]))
        case "BYTES":
            return bytes.fromhex(text)
    return _frame(int(kind, 16), content)


def _head(entry: Entry) -> list[str]:
    fields = entry.get("head", [*ORDINARY, *entry.get("add", [])])
    return [one for text in fields for one in expanded(text, "").split("|")]


def encode_section(fields: list[str]) -> bytes:
    """Literal field lines with literal names, without Huffman code (RFC 9204 section 4.5.6)."""
    section = bytearray(2)
    for text in fields:
        # The first colon of a pseudo-header is of its name.
        name, _, value = (part.encode("latin-1") for part in text[1:].partition(": "))
        name = text[:1].strip().encode("latin-1") + name
        section += _integer(0x20, 3, len(name)) + name + _integer(0x00, 7, len(value)) + value
    return bytes(section)


def _integer(flags: int, prefix: int, value: int) -> bytes:
    """RFC 7541 section 5.1."""
    most = (1 << prefix) - 1
    if value < most:
        return bytes([flags | value])
    encoded, value = bytearray([flags | most]), value - most
    while value >= 0x80:
        encoded.append(0x80 | value & 0x7F)
        value >>= 7
    return bytes([*encoded, value])


def _frame(kind: int, content: bytes) -> bytes:
    return encode_uint_var(kind) + encode_uint_var(len(content)) + content


def _status(data: bytes) -> int | None:
    """Status in the HEADERS frame at the beginning of a response."""
    buffer = Buffer(data=data)
    try:
        assert buffer.pull_uint_var() == FrameType.HEADERS
        section = buffer.pull_bytes(buffer.pull_uint_var())
    except BufferReadError:
        return None
    _, headers = pylsqpack.Decoder(0, 0).feed_header(0, section)
    return int(dict(headers)[b":status"])


def _name(code: int) -> str:
    try:
        return ErrorCode(code).name
    except ValueError:
        return f"{code:#x}"
