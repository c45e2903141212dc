"""DASH ladders as their owners' packagers encrypt them, in any codec: FFmpeg's with `cenc`, and made of these by
ourselves `cbcs`, a start in the clear (two sample descriptions, as Shaka Packager lays them out), and keys that change
(`seig`).

FFmpeg encrypts the slice headers of H.264, too; ours stay in the clear, as packagers leave them.

Tests of browsers run it: `protected_ladder.py --help`.
"""

import argparse
import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from shutil import copytree
from typing import Literal

from clips import RATE, ffmpeg
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC, CTR
from fmp4_builder import box, u32
from voxel_prepare.codecs import codec_of
from voxel_prepare.isobmff import Fragment, Sample, parse_fragments, parse_track
from voxel_prepare.isobmff.common_encryption import Decryption, ProtectedSample, protected_samples
from voxel_prepare.repair.codec import ReadSample

Scheme = Literal["clear", "cenc", "cbcs"]
BLOCK = 16
PATTERN = 10
"""Number of blocks of which `cbcs` encrypts the first one (ISO/IEC 23001-7 §10.4.1)."""
CONSTANT_IV = bytes.fromhex("00112233445566778899aabbccddeeff")
MPD = "stream.mpd"
NAMESPACE = 'xmlns:cenc="urn:mpeg:cenc:2013"'
STSD = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd")
CLEAR_DESCRIPTION = 2
"""Number of the sample description of what stays in the clear: behind that of what is encrypted."""

ENCODERS: dict[str, tuple[str, ...]] = {
    "h264": ("libx264", "-preset", "veryfast", "-sc_threshold", "0"),
    "av1": ("libsvtav1", "-preset", "10", "-svtav1-params", "scd=0"),
    "hevc": (
        "libx265",
        "-preset",
        "ultrafast",
        "-tag",
        "hvc1",
        "-x265-params",
        "log-level=error:scenecut=0:open-gop=0",
    ),
    "vp9": ("libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"),
}


@dataclass(frozen=True)
class ContentKey:
    """A key with its identifier, 16 bytes each."""

    id: bytes
    key: bytes

    def __str__(self) -> str:
        return f"{self.id.hex()}:{self.key.hex()}"


KEY = ContentKey(bytes.fromhex("abba271e8bcf552bbd2e86a434a9a5d9"), bytes.fromhex("69eaa802a6763af979e8d1940fb88392"))
NEXT_KEY = ContentKey(
    bytes.fromhex("bbba271e8bcf552bbd2e86a434a9a5d9"), bytes.fromhex("79eaa802a6763af979e8d1940fb88392")
)


@dataclass(frozen=True)
class Ladder:
    """What is made."""

    codecs: Sequence[str] = ("h264",)
    """An AdaptationSet of two representations for each."""
    scheme: Scheme = "clear"
    lead: int = 0
    """So many segments at the start stay in the clear."""
    rotated: int = 0
    """From so many segments on the second half of each fragment has another key; 0: none has."""
    seconds: float = 6
    segment_seconds: float = 2

    @property
    def is_made_anew(self) -> bool:
        """FFmpeg has no such encryption."""
        return self.scheme != "cenc" or self.lead > 0 or self.rotated > 0


def make_ladder(folder: Path, ladder: Ladder) -> Path:
    """The MPD of a ladder in `folder`, with sound in the clear."""
    folder.mkdir(parents=True, exist_ok=True)
    mpd = folder / MPD
    ffmpeg(*_arguments(ladder), mpd)
    protect_anew(folder, ladder)
    return mpd


def protect_anew(folder: Path, ladder: Ladder) -> None:
    """Encrypts, in place, what FFmpeg has made with `cenc`, as the ladder says."""
    if ladder.scheme != "clear":
        _declare(folder / MPD, ladder)
    *video, sound = sorted(folder.glob("[0-9]-init.mp4"))
    if ladder.is_made_anew:
        for init in video:
            _protect(init, ladder)
    if b"enca" in sound.read_bytes():
        _protect(sound, replace(ladder, scheme="clear"))


def _arguments(ladder: Ladder) -> Iterable[str]:
    frames = str(round(ladder.segment_seconds * RATE))
    yield from ("-f", "lavfi", "-i", f"testsrc2=size=256x144:rate={RATE}:duration={ladder.seconds}")
    yield from ("-f", "lavfi", "-i", f"sine=duration={ladder.seconds}:sample_rate=48000")
    yield from chain.from_iterable(("-map", "0:v") for _ in range(2 * len(ladder.codecs)))
    yield from ("-map", "1:a", "-c:a", "aac", "-pix_fmt", "yuv420p", "-g", frames, "-keyint_min", frames)
    for number, codec in enumerate(ladder.codecs):
        encoder, *options = ENCODERS[codec]
        for stream, rate, size in ((2 * number, "60k", "192x108"), (2 * number + 1, "150k", "256x144")):
            yield from (f"-c:v:{stream}", encoder, f"-b:v:{stream}", rate, f"-s:v:{stream}", size)
            for name, value in zip(options[::2], options[1::2], strict=True):
                yield from (f"{name}:v:{stream}", value)
    sets = [f"id={number},streams={2 * number},{2 * number + 1}" for number in range(len(ladder.codecs))]
    sets.append(f"id={len(ladder.codecs)},streams={2 * len(ladder.codecs)}")
    yield from ("-f", "dash", "-seg_duration", str(ladder.segment_seconds), "-adaptation_sets", " ".join(sets))
    yield from ("-use_timeline", "0", "-dash_segment_type", "mp4", "-init_seg_name", "$RepresentationID$-init.mp4")
    yield from ("-media_seg_name", "$RepresentationID$-$Number%05d$.m4s")
    keys = f"encryption_key={KEY.key.hex()}:encryption_kid={KEY.id.hex()}"
    yield from ("-format_options", f"encryption_scheme=cenc-aes-ctr:{keys}")


def _protect(init: Path, ladder: Ladder) -> None:
    """Encrypts a track of FFmpeg's anew, in place."""
    segments = sorted(init.parent.glob(f"{init.name[0]}-[0-9]*.m4s"))
    track = parse_track(init.read_bytes())
    encryption = track.descriptions[0].encryption
    assert encryption is not None
    decryption = Decryption(encryption, {KEY.id: KEY.key})
    for number, path in enumerate(segments):
        stored = path.read_bytes()
        samples = list(protected_samples(stored, track.defaults, encryption))
        clear, protected = decryption.decrypt(stored, samples), iter(samples)
        read = codec_of(track.descriptions[0]).reader(clear) if encryption.sample_entry == "avc1" else None
        packager = _Packager(ladder, clear, number, read)
        path.write_bytes(b"".join(packager.fragment(one, protected) for one in parse_fragments(clear, track.defaults)))
    init.write_bytes(_initialization(init.read_bytes(), ladder, encryption.sample_entry))


@dataclass(frozen=True)
class _Packager:
    """Encrypts the fragments of a segment."""

    ladder: Ladder
    clear: bytes
    number: int
    """That of the segment, from 0."""
    read: ReadSample | None
    """Reads slices of H.264; others are encrypted where FFmpeg encrypts them."""

    def fragment(self, fragment: Fragment, protected: Iterable[ProtectedSample]) -> bytes:
        """What stands before the `moof`, and a fragment with the same samples and times."""
        pairs = list(zip(fragment.samples, protected, strict=False))
        before = self.clear[fragment.start : fragment.moof_start]
        if self.ladder.scheme == "clear" or self.number < self.ladder.lead:
            description = 1 if self.ladder.scheme == "clear" else CLEAR_DESCRIPTION
            return before + _written(fragment, [self._bytes(sample) for sample in fragment.samples], description)
        second = len(pairs) // 2 if self.ladder.rotated and self.number + 1 >= self.ladder.rotated else len(pairs)
        keys = [KEY if place < second else NEXT_KEY for place in range(len(pairs))]
        entries, data = zip(*(self._encrypted(*pair, key) for pair, key in zip(pairs, keys, strict=True)), strict=True)
        groups = _groups(second, len(pairs), self.ladder.scheme) if second < len(pairs) else b""
        return before + _written(fragment, data, 1, groups, entries)

    def _bytes(self, sample: Sample) -> bytes:
        return self.clear[sample.offset : sample.offset + sample.size]

    def _encrypted(self, sample: Sample, protected: ProtectedSample, key: ContentKey) -> tuple[bytes, bytes]:
        """The sample's entry of the `senc`, and its bytes."""
        data, at, fields = bytearray(self._bytes(sample)), 0, b""
        iv = b"" if self.ladder.scheme == "cbcs" else sample.decode_time.to_bytes(8, "big")
        counted = Cipher(AES(key.key), CTR(iv.ljust(BLOCK, b"\0"))).encryptor() if iv else None
        for start, end in self._ranges(sample, protected):
            start, end = start - sample.offset, end - sample.offset
            while start - at > 0xFFFF:
                fields, at = fields + struct.pack(">HI", 0xFFFF, 0), at + 0xFFFF
            fields += struct.pack(">HI", start - at, end - start)
            data[start:end] = counted.update(data[start:end]) if counted else _by_pattern(bytes(data[start:end]), key)
            at = end
        fields += struct.pack(">HI", len(data) - at, 0) if at < len(data) else b""
        return iv + struct.pack(">H", len(fields) // 6) + fields, bytes(data)

    def _ranges(self, sample: Sample, protected: ProtectedSample) -> list[tuple[int, int]]:
        """What of the sample is encrypted; with `cenc` whole blocks, as packagers have it (ISO/IEC 23001-7 §9.5.2)."""
        if self.read is None:
            return [(range_.start, range_.end) for range_ in protected.encrypted]
        frames = self.read(sample.offset, sample.offset + sample.size)
        parts = [(part.header_end, part.end) for frame in frames for part in frame.parts]
        if self.ladder.scheme == "cenc":
            parts = [(start + (end - start) % BLOCK, end) for start, end in parts]
        return [(start, end) for start, end in parts if start < end]


def _by_pattern(data: bytes, key: ContentKey) -> bytes:
    encryptor, encrypted = Cipher(AES(key.key), CBC(CONSTANT_IV)).encryptor(), bytearray(data)
    for at in range(0, len(data) - BLOCK + 1, PATTERN * BLOCK):
        encrypted[at : at + BLOCK] = encryptor.update(data[at : at + BLOCK])
    return bytes(encrypted)


def _written(
    fragment: Fragment, data: Sequence[bytes], description: int, groups: bytes = b"", entries: Sequence[bytes] = ()
) -> bytes:
    """`moof` and `mdat`."""

    def moof(size: int, to_entries: int) -> tuple[bytes, int]:
        run = [
            (one.duration, len(part), one.flags, one.composition_offset)
            for one, part in zip(fragment.samples, data, strict=True)
        ]
        fields = b"".join(u32(*numbers) for numbers in run)
        header = box("mfhd", u32(0, fragment.sequence))
        boxes = [
            box("tfhd", u32(0x020002, 1, description)),
            box("tfdt", struct.pack(">IQ", 1 << 24, fragment.base_decode_time)),
            box("trun", u32(1 << 24 | 0xF01, len(data), size + 8), fields),
            groups,
        ]
        if entries:
            boxes += [
                box("saiz", u32(0), b"\0", u32(len(entries)), bytes(map(len, entries))),
                box("saio", u32(0, 1, to_entries)),
                box("senc", u32(2, len(entries)), *entries),
            ]
        whole = box("moof", header, box("traf", *boxes))
        return whole, len(whole) - sum(map(len, entries))

    first, to_entries = moof(0, 0)
    return moof(len(first), to_entries)[0] + box("mdat", *data)


def _groups(second: int, count: int, scheme: Scheme) -> bytes:
    """`sbgp` and `sgpd`: samples from the second half on have a key of their own."""
    constant = b"\x10" + CONSTANT_IV if scheme == "cbcs" else b""
    entry = (b"\0\x19\x01\0" if constant else b"\0\0\x01\x08") + NEXT_KEY.id + constant
    return box("sbgp", u32(0), b"seig", u32(2, second, 0, count - second, 0x10001)) + box(
        "sgpd", u32(1 << 24), b"seig", u32(len(entry), 1), entry
    )


def _initialization(init: bytes, ladder: Ladder, sample_entry: str) -> bytes:
    """FFmpeg's, with the scheme's `sinf`, and a second sample description for what stays in the clear."""
    at = init.index(b"enca" if b"enca" in init else b"encv") - 4
    entry = init[at : at + int.from_bytes(init[at : at + 4], "big")]
    start = entry.index(b"sinf") - 4
    sinf = entry[start : start + int.from_bytes(entry[start : start + 4], "big")]
    others = entry[8:start] + entry[start + len(sinf) :]
    clear, encrypted = box(sample_entry, others), box("encv", others, _sinf(sinf, ladder.scheme, sample_entry))
    entries = clear if ladder.scheme == "clear" else encrypted + (clear if ladder.lead else b"")
    edited = bytearray(init[:at] + entries + init[at + len(entry) :])
    place = 0
    for name in STSD:
        place = edited.index(name, place)
        grown = int.from_bytes(edited[place - 4 : place], "big") + len(entries) - len(entry)
        edited[place - 4 : place] = grown.to_bytes(4, "big")
    edited[place + 8 : place + 12] = (CLEAR_DESCRIPTION if ladder.lead else 1).to_bytes(4, "big")
    return bytes(edited)


def _sinf(stored: bytes, scheme: Scheme, sample_entry: str) -> bytes:
    if scheme == "cenc":
        return stored
    tenc = box("tenc", u32(1 << 24), b"\0\x19\x01\0", KEY.id, b"\x10", CONSTANT_IV)
    kind = box("schm", u32(0), b"cbcs", u32(0x10000))
    return box("sinf", box("frma", sample_entry.encode()), kind, box("schi", tenc))


def _declare(mpd: Path, ladder: Ladder) -> None:
    """Adds what says to players that the video is encrypted, which FFmpeg does not."""
    key_id = re.sub(r"^(.{8})(.{4})(.{4})(.{4})", r"\1-\2-\3-\4-", KEY.id.hex())
    scheme = f'schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="{ladder.scheme}" cenc:default_KID="{key_id}"'
    clear_key = 'schemeIdUri="urn:uuid:e2719d58-a985-b3c9-781a-b030af78d30e" value="ClearKey1.0"'
    text = re.sub("<ContentProtection[^>]*>", "", mpd.read_text().replace(f" {NAMESPACE}", ""))
    text = text.replace("<MPD", f"<MPD {NAMESPACE}", 1)
    added = f"<ContentProtection {scheme}/><ContentProtection {clear_key}/>"
    mpd.write_text(re.sub(r'(<AdaptationSet[^>]*contentType="video"[^>]*>)', rf"\1{added}", text))


def main() -> None:
    """Makes a ladder in a folder for each variant, all of the same frames, and prints the key."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "variants", nargs="+", help="clear, cenc or cbcs; with -N: N segments at the start in the clear"
    )
    parser.add_argument("--codecs", nargs="+", choices=ENCODERS, default=["h264"])
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--segment", type=float, default=2, dest="segment_seconds")
    options = vars(parser.parse_args())
    folder, variants = options.pop("folder"), options.pop("variants")
    ladder = replace(Ladder(), **options)
    first, *others = (folder / variant for variant in variants)
    first.mkdir(parents=True)
    ffmpeg(*_arguments(ladder), first / MPD)
    for other in others:
        copytree(first, other)
    for variant in variants:
        scheme, _, lead = variant.partition("-")
        protect_anew(folder / variant, replace(ladder, scheme=scheme, lead=int(lead or 0)))
    print(KEY)


if __name__ == "__main__":
    main()
