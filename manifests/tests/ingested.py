"""Encoders for tests of `voxel-live --ingest`: CMAF tracks of a few pictures, and requests by hand."""

import socket
from collections.abc import Sequence

from fmp4_builder import sample, whole_picture
from voxel_prepare.isobmff.writer import NewSample, VideoEntry, audio_init, sample_flags, video_init, write_fragment

AVCC = whole_picture("P").avcc
AAC_LC = bytes.fromhex("1190")
"""An AudioSpecificConfig: AAC LC, 48 kHz, two channels."""
TIMESCALE, FRAME, GOP = 30_000, 1000, 4
"""Units per second, of a picture, and pictures from a key frame to the next one."""

VIDEO = video_init(VideoEntry("avc1", "avcC", AVCC, 320, 180), TIMESCALE)
HEVC = video_init(VideoEntry("hvc1", "hvcC", bytes(23), 320, 180), TIMESCALE)
SOUND = audio_init(AAC_LC, 2, 48_000)


def picture(number: int, name: bytes = b"") -> bytes:
    """A sample whose NAL type is that of an IDR picture for each first one of a group."""
    return sample((b"\x41" if number % GOP else b"\x65") + b"picture " + str(number).encode() + name)


def pictures(numbers: Sequence[int], name: bytes = b"", first: int = 0) -> bytes:
    """Fragments of a picture each, at the times of `first` and on."""
    fragments = []
    for number in numbers:
        is_key = number % GOP == 0
        flags = sample_flags(is_sync=is_key, is_reference=True)
        coded = [NewSample(picture(number, name), flags, FRAME, 0)]
        fragments.append(write_fragment(coded, (first + number) * FRAME, number + 1))
    return b"".join(fragments)


def head(path: str, *fields: str, method: str = "PUT") -> bytes:
    lines = (f"{method} {path} HTTP/1.1", "Host: ingest", *fields)
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


def chunked(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts if part)


def request(path: str, *parts: bytes, method: str = "PUT", fields: Sequence[str] = ()) -> bytes:
    """One with a body of chunks."""
    return head(path, "Transfer-Encoding: chunked", *fields, method=method) + chunked(*parts) + b"0\r\n\r\n"


class Sender:
    """A connection to an ingest."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self._received = b""

    def send(self, data: bytes) -> "Sender":
        self._socket.sendall(data)
        return self

    def answer(self) -> int:
        """The status of the next answer; 0 where the connection has ended."""
        while b"\r\n\r\n" not in self._received:
            if not self._receive():
                return 0
        answer, _, self._received = self._received.partition(b"\r\n\r\n")
        status = int(answer.split()[1])
        sizes = [line.split(b":")[1] for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length")]
        while sizes and len(self._received) < int(sizes[0]):
            if not self._receive():
                return 0
        self._received = self._received[int(sizes[0]) if sizes else 0 :]
        return status

    def has_ended(self) -> bool:
        """Waits for the end of the connection."""
        while self._receive():
            pass
        return True

    def drop(self) -> None:
        self._socket.close()

    def _receive(self) -> bool:
        try:
            data = self._socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        self._received += data
        return bool(data)
