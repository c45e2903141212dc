"""Decrypts segments of Common Encryption's scheme `cbcs` (ISO/IEC 23001-7 §10.4) in memory, so that they can be scored.

Nothing changes its place: a decrypted segment has every byte where the encrypted one has it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.isobmff.boxes import Box, BoxReader, Mp4Error, UnsupportedMp4
from voxel_prepare.isobmff.fragments import Buffer, Sample, SampleDefaults, parse_fragments

SCHEME = "cbcs"
BLOCK = 16
SUBSAMPLES_PRESENT = 0x2
"""Flag of a `senc` (§7.2)."""
TENC_FIELDS = 8
"""Bytes of a `tenc` before the key identifier (§8.2)."""
KEY_ID_BYTES = 16


@dataclass(frozen=True, slots=True)
class TrackEncryption:
    """What the sample entry of an encrypted track says (`sinf`)."""

    sample_entry: str
    """Four-character code of what is encrypted, as `avc1`."""
    scheme: str
    key_id: bytes
    encrypted_blocks: int
    clear_blocks: int
    """The pattern: so many encrypted blocks, then so many clear ones."""
    iv_bytes: int
    """Bytes of the initialization vector of each sample; 0: all have `constant_iv`."""
    constant_iv: bytes


@dataclass(frozen=True, slots=True)
class Decryption:
    """How a track is decrypted."""

    track: TrackEncryption
    key: bytes

    def decrypt(self, segment: bytes, defaults: SampleDefaults) -> tuple[bytes, list[ByteRange]]:
        """The segment in the clear, and the ranges in which it was encrypted. Raises `Mp4Error`."""
        clear = bytearray(segment)
        ranges: list[ByteRange] = []
        for iv, encrypted in self.encrypted(segment, defaults):
            ranges.append(encrypted)
            self._decrypt_range(clear, encrypted, iv)
        return bytes(clear), ranges

    def encrypted(self, segment: Buffer, defaults: SampleDefaults) -> Iterator[tuple[bytes, ByteRange]]:
        """The encrypted ranges of a segment, each with its initialization vector. Raises `Mp4Error`."""
        with memoryview(segment) as view:
            reader = BoxReader(view)
            moofs = [box for box in reader.boxes(0, len(view)) if box.type == "moof"]
            fragments = parse_fragments(segment, defaults)
            for moof, fragment in zip(moofs, fragments, strict=False):
                yield from self._of_fragment(reader, view, reader.only_child(moof, "traf"), fragment.samples)

    def _of_fragment(
        self, reader: BoxReader, view: memoryview, traf: Box, samples: tuple[Sample, ...]
    ) -> Iterator[tuple[bytes, ByteRange]]:
        boxes = list(reader.children(traf))
        if any(box.type in {"sbgp", "sgpd"} and _fourcc(reader.u32(box, 4)) == "seig" for box in boxes):
            raise UnsupportedMp4("encryption must not change inside a track (seig)")
        senc = next((box for box in boxes if box.type == "senc"), None)
        if senc is None or not reader.u32(senc, 0) & SUBSAMPLES_PRESENT:
            raise UnsupportedMp4("encrypted fragments must have a senc box with subsamples")
        if reader.u32(senc, 4) != len(samples):
            raise Mp4Error(f"expected a senc box of {len(samples)} samples, found {reader.u32(senc, 4)}")
        at = 8
        for sample in samples:
            iv = bytes(view[senc.payload + at : senc.payload + at + self.track.iv_bytes]) or self.track.constant_iv
            at += self.track.iv_bytes
            count = reader.u16(senc, at)
            at += 2
            position = sample.offset
            for _ in range(count):
                start = position + reader.u16(senc, at)
                position = start + reader.u32(senc, at + 2)
                at += 6
                if position > start:
                    yield iv, ByteRange(start, position)
            if position != sample.offset + sample.size:
                raise Mp4Error(f"subsamples must cover the sample at byte {sample.offset}, of {sample.size} bytes")

    def _decrypt_range(self, data: bytearray, encrypted: ByteRange, iv: bytes) -> None:
        """Decrypts in place. What is left after whole blocks is clear."""
        decryptor = Cipher(AES(self.key), CBC(iv.ljust(BLOCK, b"\0"))).decryptor()
        period = self.track.encrypted_blocks + self.track.clear_blocks
        for at in range(encrypted.start, encrypted.end, period * BLOCK):
            blocks = min(self.track.encrypted_blocks, (encrypted.end - at) // BLOCK)
            data[at : at + blocks * BLOCK] = decryptor.update(bytes(data[at : at + blocks * BLOCK]))


def read_track_encryption(reader: BoxReader, view: memoryview, sinf: Box) -> TrackEncryption:
    """Reads a protected sample entry's `sinf`; of another scheme than `cbcs` only its name. Raises `Mp4Error`."""
    sample_entry = _fourcc(reader.u32(reader.child(sinf, "frma"), 0))
    scheme = _fourcc(reader.u32(reader.child(sinf, "schm"), 4))
    if scheme != SCHEME:
        return TrackEncryption(sample_entry, scheme, b"", 1, 0, 0, b"")
    tenc = reader.child(sinf, "schi", "tenc")
    fields = reader.u32(tenc, 4)
    pattern, iv_bytes = fields >> 16 & 0xFF, fields & 0xFF
    constant = tenc.payload + TENC_FIELDS + KEY_ID_BYTES
    return TrackEncryption(
        sample_entry=sample_entry,
        scheme=scheme,
        key_id=bytes(view[tenc.payload + TENC_FIELDS : constant]),
        encrypted_blocks=(pattern >> 4) or 1,
        clear_blocks=pattern & 0xF if pattern >> 4 else 0,
        iv_bytes=iv_bytes,
        constant_iv=bytes(view[constant + 1 : tenc.end]) if iv_bytes == 0 else b"",
    )


def _fourcc(number: int) -> str:
    return number.to_bytes(4, "big").decode("latin-1")
