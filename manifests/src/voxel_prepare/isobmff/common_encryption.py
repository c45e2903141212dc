"""Common Encryption (ISO/IEC 23001-7) of fragmented MP4, by the schemes `cbcs` (§10.4) and `cenc` (§10.1): which bytes
of samples are encrypted, and decrypting them in memory, so that segments can be scored.

Nothing changes its place: a decrypted segment has every byte where the encrypted one has it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC, CTR

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.isobmff.boxes import Box, BoxReader, Mp4Error, UnsupportedMp4
from voxel_prepare.isobmff.fragments import Buffer, Fragment, Sample, SampleDefaults, parse_fragments
from voxel_prepare.isobmff.sample_boxes import SUBSAMPLE_BYTES, SUBSAMPLES_PRESENT, auxiliary_sizes

CBCS = "cbcs"
"""AES-CBC by a pattern of blocks: each range of bytes is encrypted by itself."""
CENC = "cenc"
"""AES-CTR: the cipher runs on through all ranges of a sample."""
SCHEMES = (CBCS, CENC)

BLOCK = 16
COUNTER_BYTES = 8
"""The end of a counter block that counts blocks, modulo 2^64 (§9.2)."""
IV_SIZES = {0, 8, BLOCK}
FULL_BOX_FIELDS = 4
PROTECTION_FIELDS = 4
"""Bytes of a `tenc` and a `seig` entry before the key identifier (§6, §8.2)."""
KEY_ID_BYTES = 16
GROUPS_OF_FRAGMENT = 0x10000
"""Group numbers above it count those of the fragment, from 1; others those of the track (ISO/IEC 14496-12 §8.9.4)."""
SEIG = int.from_bytes(b"seig", "big")


@dataclass(frozen=True, slots=True)
class Protection:
    """How samples are encrypted: all of a track (`tenc`), or those of a group (`seig`)."""

    is_protected: bool
    key_id: bytes
    encrypted_blocks: int
    clear_blocks: int
    """The pattern: so many encrypted blocks, then so many clear ones."""
    iv_bytes: int
    """Bytes of the initialization vector of each sample; 0: all have `constant_iv`."""
    constant_iv: bytes


@dataclass(frozen=True, slots=True)
class TrackEncryption:
    """What the sample entry of an encrypted track says (`sinf`)."""

    sample_entry: str
    """Four-character code of what is encrypted, as `avc1`."""
    scheme: str
    protection: Protection
    """That of samples in no group."""
    groups: tuple[Protection, ...] = ()
    """Those of the track's groups of samples, as where keys change."""


@dataclass(frozen=True, slots=True)
class ProtectedSample:
    """A sample of an encrypted track, and what of it is encrypted."""

    protection: Protection
    iv: bytes
    encrypted: Sequence[ByteRange]
    """Ascending, none of them empty; none where the sample is in the clear."""


@dataclass(frozen=True, slots=True)
class Decryption:
    """How a track is decrypted."""

    track: TrackEncryption
    keys: Mapping[bytes, bytes] = field(repr=False)
    """Keys by their identifiers."""

    def decrypt(self, segment: bytes, samples: Iterable[ProtectedSample]) -> bytes:
        """The segment with its samples in the clear. Raises `UnsupportedMp4` without the key of one."""
        clear = bytearray(segment)
        for sample in samples:
            self.decrypt_sample(clear, sample)
        return bytes(clear)

    def decrypt_sample(self, data: bytearray, sample: ProtectedSample) -> None:
        """Decrypts in place. Raises `UnsupportedMp4` without the key."""
        if not sample.encrypted:
            return
        key = self.keys.get(sample.protection.key_id)
        if key is None:
            raise UnsupportedMp4(f"there is no key {sample.protection.key_id.hex()}")
        if self.track.scheme == CENC:
            _decrypt_counted(data, sample, key)
            return
        for range_ in sample.encrypted:
            _decrypt_pattern(data, range_, sample, key)


def protected_samples(segment: Buffer, defaults: SampleDefaults, track: TrackEncryption) -> Iterator[ProtectedSample]:
    """The samples of a segment, in decode order. Raises `Mp4Error`, also where two boxes contradict each other."""
    with memoryview(segment) as view:
        reader = BoxReader(view)
        moofs = [box for box in reader.boxes(0, len(view)) if box.type == "moof"]
        for moof, fragment in zip(moofs, parse_fragments(segment, defaults), strict=False):
            yield from _FragmentReader(reader, reader.only_child(moof, "traf"), fragment, track).samples()


def read_track_encryption(reader: BoxReader, sinf: Box, stbl: Box) -> TrackEncryption:
    """Reads a protected sample entry's `sinf` and the track's groups; of a scheme not in `SCHEMES` only its name.

    Raises `Mp4Error`.
    """
    sample_entry = _fourcc(reader.u32(reader.child(sinf, "frma"), 0))
    scheme = _fourcc(reader.u32(reader.child(sinf, "schm"), 4))
    if scheme not in SCHEMES:
        return TrackEncryption(sample_entry, scheme, Protection(True, b"", 1, 0, 0, b""))
    protection = _protection(reader, reader.child(sinf, "schi", "tenc"), FULL_BOX_FIELDS)
    return TrackEncryption(sample_entry, scheme, protection, tuple(_group_protections(reader, stbl)))


@dataclass(frozen=True, slots=True)
class _FragmentReader:
    """Reads the `senc` of a fragment. Its `saiz` and `saio` must not contradict it: players read one or the others."""

    reader: BoxReader
    traf: Box
    fragment: Fragment
    track: TrackEncryption

    def samples(self) -> Iterator[ProtectedSample]:
        samples = self.fragment.samples
        protections = self._protections()
        senc = self._child("senc")
        if senc is None:
            yield from map(self._without_entry, samples, protections)
            return
        count = self.reader.u32(senc, 4)
        if count != len(samples):
            raise Mp4Error(f"expected a senc box of {len(samples)} samples, found {count}")
        self._check_position(senc)
        sizes = self._sizes()
        at = 8
        for number, (sample, protection) in enumerate(zip(samples, protections, strict=True)):
            if not protection.is_protected and sizes and sizes[number] == 0:
                yield ProtectedSample(protection, b"", ())
                continue
            found, end = self._entry(senc, at, sample, protection)
            if sizes and sizes[number] != end - at:
                raise Mp4Error(f"a saiz box says {sizes[number]} bytes of an entry of {end - at} in the senc box")
            at = end
            yield found

    def _child(self, fourcc: str) -> Box | None:
        return next((box for box in self.reader.children(self.traf) if box.type == fourcc), None)

    def _without_entry(self, sample: Sample, protection: Protection) -> ProtectedSample:
        """The sample of a fragment without a `senc`: one vector for all, encrypted whole, or in the clear."""
        if not protection.is_protected:
            return ProtectedSample(protection, b"", ())
        if self._child("saiz") is not None or protection.iv_bytes:
            raise UnsupportedMp4("encrypted fragments must have a senc box")
        return self._protected(protection, protection.constant_iv, _ranges(sample, [(0, sample.size)]))

    def _entry(self, senc: Box, at: int, sample: Sample, protection: Protection) -> tuple[ProtectedSample, int]:
        """The sample of the entry at byte `at` of the payload, and where the entry ends."""
        iv = self.reader.data(senc, at, protection.iv_bytes) or protection.constant_iv
        at += protection.iv_bytes
        parts: list[tuple[int, int]] = []
        if self.reader.u32(senc, 0) & SUBSAMPLES_PRESENT:
            first = at + 2
            at = first + SUBSAMPLE_BYTES * self.reader.u16(senc, at)
            fields = range(first, at, SUBSAMPLE_BYTES)
            parts = [(self.reader.u16(senc, field), self.reader.u32(senc, field + 2)) for field in fields]
        # Without any the sample is encrypted whole.
        return self._protected(protection, iv, _ranges(sample, parts or [(0, sample.size)])), at

    def _protected(self, protection: Protection, iv: bytes, encrypted: Sequence[ByteRange]) -> ProtectedSample:
        if not protection.is_protected:
            return ProtectedSample(protection, b"", ())
        if encrypted and len(iv) not in IV_SIZES - {0}:
            raise Mp4Error(f"an initialization vector must have 8 or 16 bytes, found {len(iv)}")
        return ProtectedSample(protection, iv, encrypted)

    def _sizes(self) -> Sequence[int]:
        """The sizes of the entries as the `saiz` states them, none without one."""
        saiz = self._child("saiz")
        if saiz is None:
            return ()
        return auxiliary_sizes(self.reader, saiz, len(self.fragment.samples))

    def _check_position(self, senc: Box) -> None:
        """Raises `Mp4Error` unless the `saio`, if there is one, leads to the entries of the `senc`."""
        saio = self._child("saio")
        if saio is None:
            return
        at = FULL_BOX_FIELDS + (8 if self.reader.u32(saio, 0) & 1 else 0)
        if self.reader.u32(saio, at) != 1:
            raise UnsupportedMp4(f"expected a saio box with one position, found {self.reader.u32(saio, at)}")
        is_long = self.reader.version(saio) == 1
        position = self.reader.u64(saio, at + 4) if is_long else self.reader.u32(saio, at + 4)
        if position != senc.payload + 8 - self.fragment.moof_start:
            raise UnsupportedMp4("the saio box must lead to the entries of the senc box")

    def _protections(self) -> list[Protection]:
        """That of each sample, by its group if it has one."""
        default = self.track.protection
        found = [default] * len(self.fragment.samples)
        sbgp = next((box for box in self._groupings("sbgp")), None)
        if sbgp is None:
            return found
        of_fragment = list(_group_protections(self.reader, self.traf))
        at, first = 8 + (4 if self.reader.version(sbgp) == 1 else 0), 0
        for entry in range(self.reader.u32(sbgp, at)):
            count, number = (self.reader.u32(sbgp, at + 4 + 8 * entry + field) for field in (0, 4))
            last = first + count
            if last > len(found):
                raise Mp4Error(f"a sbgp box has more samples than its fragment, which has {len(found)}")
            if number:
                found[first:last] = [self._group(number, of_fragment)] * count
            first = last
        return found

    def _groupings(self, fourcc: str) -> Iterator[Box]:
        return _groupings(self.reader, self.traf, fourcc)

    def _group(self, number: int, of_fragment: Sequence[Protection]) -> Protection:
        groups = of_fragment if number > GROUPS_OF_FRAGMENT else self.track.groups
        place = number - (GROUPS_OF_FRAGMENT if number > GROUPS_OF_FRAGMENT else 0)
        if place > len(groups):
            raise Mp4Error(f"a sbgp box refers to group {place} of {len(groups)}")
        return groups[place - 1]


def _ranges(sample: Sample, parts: Sequence[tuple[int, int]]) -> list[ByteRange]:
    """The encrypted ranges of subsamples, each of so many clear and encrypted bytes."""
    ranges: list[ByteRange] = []
    at = sample.offset
    for clear, encrypted in parts:
        if encrypted:
            ranges.append(ByteRange(at + clear, at + clear + encrypted))
        at += clear + encrypted
    if at != sample.offset + sample.size:
        raise Mp4Error(f"subsamples must cover the sample at byte {sample.offset}, of {sample.size} bytes")
    return ranges


def _groupings(reader: BoxReader, parent: Box, fourcc: str) -> Iterator[Box]:
    return (box for box in reader.children(parent) if box.type == fourcc and reader.u32(box, 4) == SEIG)


def _group_protections(reader: BoxReader, parent: Box) -> Iterator[Protection]:
    """What the `sgpd` boxes of type `seig` say of each group."""
    for sgpd in _groupings(reader, parent, "sgpd"):
        if reader.version(sgpd) != 1:
            raise UnsupportedMp4(f"expected a sgpd box of version 1, found {reader.version(sgpd)}")
        stated, at = reader.u32(sgpd, 8), 16
        for _ in range(reader.u32(sgpd, 12)):
            size = stated or reader.u32(sgpd, at)
            at += 0 if stated else 4
            yield _protection(reader, sgpd, at)
            at += size


def _protection(reader: BoxReader, box: Box, at: int) -> Protection:
    """What the fields from byte `at` of the payload say."""
    _, pattern, is_protected, iv_bytes = reader.data(box, at, PROTECTION_FIELDS)
    if iv_bytes not in IV_SIZES:
        raise Mp4Error(f"an initialization vector must have 8 or 16 bytes, found {iv_bytes}")
    at += PROTECTION_FIELDS
    constant_iv = b""
    if is_protected and iv_bytes == 0:
        size = reader.data(box, at + KEY_ID_BYTES, 1)[0]
        constant_iv = reader.data(box, at + KEY_ID_BYTES + 1, size)
    return Protection(
        is_protected=is_protected == 1,
        key_id=reader.data(box, at, KEY_ID_BYTES),
        encrypted_blocks=(pattern >> 4) or 1,
        clear_blocks=pattern & 0xF if pattern >> 4 else 0,
        iv_bytes=iv_bytes,
        constant_iv=constant_iv,
    )


def _decrypt_counted(data: bytearray, sample: ProtectedSample, key: bytes) -> None:
    """`cenc`, in place: the ranges of a sample are one text."""
    text = b"".join(data[range_.start : range_.end] for range_ in sample.encrypted)
    first = sample.iv.ljust(BLOCK, b"\0")
    around = ((1 << 8 * COUNTER_BYTES) - int.from_bytes(first[-COUNTER_BYTES:], "big")) * BLOCK
    again = first[:-COUNTER_BYTES] + bytes(COUNTER_BYTES)
    parts = [(first, text[:around]), (again, text[around:])]
    clear = b"".join(Cipher(AES(key), CTR(counter)).decryptor().update(part) for counter, part in parts if part)
    at = 0
    for range_ in sample.encrypted:
        data[range_.start : range_.end] = clear[at : at + range_.size]
        at += range_.size


def _decrypt_pattern(data: bytearray, encrypted: ByteRange, sample: ProtectedSample, key: bytes) -> None:
    """`cbcs`, in place. What is left after whole blocks is clear."""
    decryptor = Cipher(AES(key), CBC(sample.iv.ljust(BLOCK, b"\0"))).decryptor()
    protection = sample.protection
    period = protection.encrypted_blocks + protection.clear_blocks
    for at in range(encrypted.start, encrypted.end, period * BLOCK):
        blocks = min(protection.encrypted_blocks, (encrypted.end - at) // BLOCK)
        data[at : at + blocks * BLOCK] = decryptor.update(bytes(data[at : at + blocks * BLOCK]))


def _fourcc(number: int) -> str:
    return number.to_bytes(4, "big").decode("latin-1")
