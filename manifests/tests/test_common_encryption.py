"""Encrypted tracks of any scheme and codec: decrypted they are what FFmpeg decrypts; boxes that lie end in one line."""

from collections.abc import Sequence
from hashlib import md5
from pathlib import Path
from random import Random
from shutil import copytree

import pytest
from clips import ffmpeg
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB
from hypothesis import given
from hypothesis import strategies as st
from protected_ladder import KEY, NEXT_KEY, Ladder, Scheme, make_ladder, protect_anew
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges, complement
from voxel_prepare.errors import InputError
from voxel_prepare.isobmff import Mp4Error, Track, parse_fragments, parse_track
from voxel_prepare.isobmff.common_encryption import (
    Decryption,
    ProtectedSample,
    Protection,
    TrackEncryption,
    protected_samples,
)
from voxel_prepare.manifest.existing import read_existing
from voxel_prepare.repair.removal import RemovableFrame, remove_missing

KEYS = {KEY.id: KEY.key, NEXT_KEY.id: NEXT_KEY.key}
VARIANTS: list[tuple[Scheme, int, int]] = [("cenc", 0, 0), ("cbcs", 1, 2), ("cenc", 1, 1), ("cenc", 0, 1)]
"""Scheme, segments in the clear, and from which segment on keys change."""
SHORT = {"seconds": 2, "segment_seconds": 1}


@pytest.fixture(scope="module", params=["h264", "av1", "hevc", "vp9"])
def original(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A ladder of a codec, and the hashes of its samples, encrypted and decrypted by FFmpeg."""
    folder = tmp_path_factory.mktemp("original")
    make_ladder(folder, Ladder((request.param,), "cenc", **SHORT))
    return folder, decrypted_by_ffmpeg(folder)


def segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("1-[0-9]*.m4s"))


def read(folder: Path) -> Track:
    return parse_track((folder / "1-init.mp4").read_bytes())


def decrypted(track: Track, segment: bytes) -> bytes:
    encryption = track.description_of(parse_fragments(segment, track.defaults)[0]).encryption
    if encryption is None:
        return segment
    return Decryption(encryption, KEYS).decrypt(segment, protected_samples(segment, track.defaults, encryption))


def hashes(folder: Path) -> list[str]:
    track = read(folder)
    found = (samples(track, decrypted(track, path.read_bytes())) for path in segments(folder))
    return [md5(data).hexdigest() for of_segment in found for *_, data in of_segment]


@pytest.mark.parametrize(("scheme", "lead", "rotated"), VARIANTS)
def test_every_scheme_is_decrypted_as_ffmpeg_does(
    original: tuple[Path, list[str]], tmp_path: Path, scheme: Scheme, lead: int, rotated: int
) -> None:
    folder, expected = original
    copied = copytree(folder, tmp_path / "copied")
    protect_anew(copied, Ladder(scheme=scheme, lead=lead, rotated=rotated))
    assert len(expected) == 50
    assert hashes(copied) == expected


@pytest.mark.parametrize(("scheme", "lead", "rotated"), VARIANTS)
def test_samples_are_removed_without_the_key_as_from_the_same_track_in_the_clear(
    original: tuple[Path, list[str]], tmp_path: Path, scheme: Scheme, lead: int, rotated: int
) -> None:
    clear, protected = (copytree(original[0], tmp_path / name) for name in ("clear", "protected"))
    protect_anew(clear, Ladder(scheme="clear"))
    protect_anew(protected, Ladder(scheme=scheme, lead=lead, rotated=rotated))
    random = Random(7)
    for clear_path, path in zip(segments(clear), segments(protected), strict=True):
        missing = random.sample(range(1, 25), 9)
        expected = without(read(clear), clear_path.read_bytes(), missing)
        track = read(protected)
        removed = without(track, path.read_bytes(), missing)
        assert len(samples(track, removed)) == 16
        assert samples(track, decrypted(track, removed)) == samples(read(clear), expected)
        path.write_bytes(removed)
    if not lead and not rotated:
        assert decrypted_by_ffmpeg(protected) == hashes(protected)


def without(track: Track, segment: bytes, missing: Sequence[int]) -> bytes:
    found = [sample for one in parse_fragments(segment, track.defaults) for sample in one.samples]
    plan = [RemovableFrame(found[place].offset, found[place].offset + found[place].size, ()) for place in missing]
    lost = sorted((ByteRange(frame.start, frame.end) for frame in plan), key=lambda range_: range_.start)
    received = ReceivedRanges(complement(ByteRange(0, len(segment)), lost))
    return remove_missing(track, segment, received, plan).bytes


def samples(track: Track, segment: bytes) -> list[tuple[int, int, int, int, bytes]]:
    return [
        (one.decode_time, one.duration, one.composition_offset, one.flags, segment[one.offset : one.offset + one.size])
        for fragment in parse_fragments(segment, track.defaults)
        for one in fragment.samples
    ]


def decrypted_by_ffmpeg(folder: Path) -> list[str]:
    """The hashes of samples that FFmpeg decrypts."""
    joined = folder / "joined.mp4"
    joined.write_bytes(b"".join(path.read_bytes() for path in (folder / "1-init.mp4", *segments(folder))))
    lines = ffmpeg("-decryption_key", KEY.key.hex(), "-i", joined, "-c", "copy", "-f", "framemd5", "-").splitlines()
    return [line.split(",")[-1].strip() for line in lines if not line.startswith("#")]


def test_a_counter_begins_anew_after_its_last_block() -> None:
    """Its lower 64 bits count alone (ISO/IEC 23001-7 §9.2)."""
    iv, data = bytes(range(8)) + (2**64 - 1).to_bytes(8, "big"), bytearray(range(40))
    blocks = Cipher(AES(KEY.key), ECB()).encryptor().update(iv + iv[:8] + bytes(8) + iv[:8] + bytes(7) + b"\1")
    protection = Protection(True, KEY.id, 1, 0, 16, b"")
    encryption = TrackEncryption("avc1", "cenc", protection)
    sample = ProtectedSample(protection, iv, [ByteRange(0, 10), ByteRange(10, 40)])
    Decryption(encryption, KEYS).decrypt_sample(data, sample)
    assert bytes(data) == bytes(one ^ other for one, other in zip(range(40), blocks, strict=False))


@pytest.fixture(scope="module")
def protected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("protected")
    return make_ladder(folder, Ladder(("h264",), "cenc", 0, 1, **SHORT))


def put(data: bytes, box: bytes, at: int, value: bytes) -> bytes:
    """`value` from byte `at` of the payload of the first box of that type."""
    place = data.index(box) + 4 + at
    return data[:place] + value + data[place + len(value) :]


LIES: list[tuple[str, int, bytes, str]] = [
    ("senc", 4, b"\0\0\0\x18", "expected a senc box of 25 samples, found 24"),
    ("senc", 4, b"\xff\xff\xff\xff", "expected a senc box of 25 samples, found 4294967295"),
    ("senc", 16, b"\xff\xff", "senc box is too short"),
    ("senc", 18, b"\xff\xff", "subsamples must cover the sample at byte"),
    ("senc", 20, b"\xff\xff\xff\xff", "subsamples must cover the sample at byte"),
    ("saiz", 5, b"\0\0\0\x18", "expected a saiz box of 25 samples, found 24"),
    ("saiz", 5, b"\xff\xff\xff\xff", "expected a saiz box of 25 samples, found 4294967295"),
    ("saiz", 9, b"\xff", "a saiz box says 255 bytes of an entry of"),
    ("saiz", 4, b"\x01", "a saiz box says 1 bytes of an entry of"),
    ("saio", 4, b"\0\0\0\x02", "expected a saio box with one position, found 2"),
    ("saio", 8, b"\0\0\0\0", "the saio box must lead to the entries of the senc box"),
    ("sbgp", 12, b"\xff\xff\xff\xff", "a sbgp box has more samples than its fragment, which has 25"),
    ("sbgp", 24, b"\0\0\0\x07", "a sbgp box refers to group 7 of 0"),
    ("sbgp", 24, b"\0\x01\0\x02", "a sbgp box refers to group 2 of 1"),
    ("sgpd", 0, b"\0", "expected a sgpd box of version 1, found 0"),
    ("sgpd", 12, b"\xff\xff\xff\xff", "sgpd box is too short"),
    ("sgpd", 19, b"\x07", "an initialization vector must have 8 or 16 bytes, found 7"),
]


@pytest.mark.parametrize(("box", "at", "value", "reason"), LIES)
def test_boxes_that_lie_end_in_one_line(
    protected: Path, tmp_path: Path, box: str, at: int, value: bytes, reason: str
) -> None:
    copied = copytree(protected.parent, tmp_path / "copied")
    path = segments(copied)[0]
    path.write_bytes(put(path.read_bytes(), box.encode(), at, value))
    with pytest.raises(InputError, match=reason) as caught:
        read_existing(copied / protected.name, KEYS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        (b"\x07", "an initialization vector must have 8 or 16 bytes, found 7"),
        (b"\0", "tenc box is too short"),  # it would have the vector of all samples
    ],
)
def test_vectors_of_other_sizes_are_refused(protected: Path, size: bytes, reason: str) -> None:
    with pytest.raises(Mp4Error, match=reason):
        parse_track(put((protected.parent / "1-init.mp4").read_bytes(), b"tenc", 7, size))


@given(st.data())
def test_whatever_the_boxes_say_what_is_encrypted_lies_in_its_sample(protected: Path, data: st.DataObject) -> None:
    track = read(protected.parent)
    encryption = track.descriptions[0].encryption
    assert encryption is not None
    segment = bytearray(segments(protected.parent)[0].read_bytes())
    end = segment.index(b"mdat")
    random = Random(data.draw(st.integers(0, 2**32)))
    for _ in range(data.draw(st.integers(1, 4))):
        segment[random.randrange(end)] = random.choice((0, 1, 0x7F, 0xFF, random.randrange(256)))
    try:
        found = list(protected_samples(segment, track.defaults, encryption))
    except Mp4Error as error:
        assert "\n" not in str(error)
        return
    samples = [sample for one in parse_fragments(segment, track.defaults) for sample in one.samples]
    assert all(lies_in(one.encrypted, sample.offset, sample.size) for one, sample in zip(found, samples, strict=False))


def lies_in(ranges: Sequence[ByteRange], start: int, size: int) -> bool:
    places = [start, *(place for one in ranges for place in (one.start, one.end)), start + size]
    return places == sorted(places)
