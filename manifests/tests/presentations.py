"""Existing DASH presentations of two representations, made by FFmpeg, in every kind of addressing."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from clips import RATE, ffmpeg
from lxml import etree

Addressing: TypeAlias = Literal["template by number", "template by time", "list", "base"]
ADDRESSINGS: tuple[Addressing, ...] = get_args(Addressing)

SEGMENT_FRAMES = [50, 50, 25]
"""Frames of the segments of a ladder made of 5 s."""

MUXER_OPTIONS: dict[Addressing, tuple[str, ...]] = {
    "template by number": ("-use_timeline", "0", "-media_seg_name", "$RepresentationID$/$Number%05d$.m4s"),
    "template by time": ("-use_timeline", "1", "-media_seg_name", "$RepresentationID$/at-$Time$.m4s"),
    "list": ("-single_file", "1"),
    "base": ("-single_file", "1", "-global_sidx", "1"),
}


def make_presentation(folder: Path, addressing: Addressing, *options: str, frames: int = SEGMENT_FRAMES[0]) -> Path:
    """An MPD in `folder` with two video representations and sound, in two and a half segments of that many frames.

    `options` are for FFmpeg.
    """
    seconds, segment_seconds = 2.5 * frames / RATE, frames / RATE
    for representation in "012":
        (folder / representation).mkdir(parents=True, exist_ok=True)
    mpd = folder / "ladder.mpd"
    ffmpeg(
        *("-f", "lavfi", "-i", f"testsrc2=size=320x180:rate={RATE}:duration={seconds}"),
        *("-f", "lavfi", "-i", f"sine=duration={seconds}:sample_rate=48000"),
        *("-map", "0:v", "-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-preset", "veryfast", "-c:a", "aac"),
        *("-pix_fmt", "yuv420p", "-g", str(frames), "-keyint_min", str(frames), "-sc_threshold", "0"),
        *("-b:v:0", "100k", "-s:v:0", "160x90", "-b:v:1", "300k"),
        *options,
        *("-f", "dash", "-seg_duration", str(segment_seconds), "-adaptation_sets", "id=0,streams=v id=1,streams=a"),
        *("-init_seg_name", "$RepresentationID$/init.mp4", *MUXER_OPTIONS[addressing], str(mpd)),
    )
    if addressing == "base":
        refer_to_sidx(mpd)
    return mpd


def refer_to_sidx(mpd: Path) -> None:
    """Puts a SegmentBase, which FFmpeg does not write, in place of each SegmentList."""
    tree = etree.parse(mpd)
    for segment_list in tree.findall(".//{*}SegmentList"):
        representation = segment_list.getparent()
        assert representation is not None
        media = (mpd.parent / (representation.findtext("{*}BaseURL") or "")).read_bytes()
        start = media.index(b"sidx") - 4
        end = start + int.from_bytes(media[start : start + 4], "big")
        base = etree.SubElement(representation, segment_list.tag.replace("List", "Base"))
        base.set("indexRange", f"{start}-{end - 1}")
        etree.SubElement(base, segment_list.tag.replace("SegmentList", "Initialization")).set("range", f"0-{start - 1}")
        representation.remove(segment_list)
    tree.write(mpd)


def joined(path: Path, *mpds: Path, attributes: Sequence[dict[str, str]] | None = None, end: str | None = None) -> Path:
    """An MPD at `path` with the period of each of the others, of one second unless their `attributes` say otherwise."""
    tree = etree.parse(mpds[0])
    root = tree.getroot()
    for period in root.findall("{*}Period"):
        root.remove(period)
    root.attrib.pop("mediaPresentationDuration", "")
    if end is not None:
        root.set("mediaPresentationDuration", end)
    for number, mpd in enumerate(mpds):
        period = etree.parse(mpd).getroot().find("{*}Period")
        assert period is not None
        stated = {"duration": "PT1S"} if attributes is None else attributes[number]
        for name in ("id", "start", "duration"):
            period.attrib.pop(name, "")
        for name, value in stated.items():
            period.set(name, value)
        base = etree.Element(period.tag.replace("Period", "BaseURL"))
        base.text = f"{os.path.relpath(mpd.parent, path.parent)}/"
        period.insert(0, base)
        root.append(period)
    tree.write(path)
    return path


def as_avc3(initialization: bytes) -> bytes:
    """The initialization segment of a track that has its parameter sets in samples alone."""
    at = initialization.index(b"avcC") - 4
    size = int.from_bytes(initialization[at : at + 4], "big")
    avcc = initialization[at + 8 : at + 13] + b"\xe0\0"
    edited = bytearray(
        initialization[:at] + (8 + len(avcc)).to_bytes(4, "big") + b"avcC" + avcc + initialization[at + size :]
    )
    field = 0
    for name in (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"avc1"):
        field = edited.index(name, field + 8) - 4
        shorter = int.from_bytes(edited[field : field + 4], "big") - size + 8 + len(avcc)
        edited[field : field + 4] = shorter.to_bytes(4, "big")
    return bytes(edited).replace(b"avc1\0\0\0\0", b"avc3\0\0\0\0")
