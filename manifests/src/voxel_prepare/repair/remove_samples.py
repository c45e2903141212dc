"""Takes samples out of the fragments of a segment, whatever they hold and however they are encrypted.

src/repair/README.md, "Removal", is the normative description; src/repair/remove-samples.ts gives the same bytes.
"""

import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from voxel_prepare.errors import MalformedStream, UnsupportedStream
from voxel_prepare.isobmff import Fragment, Mp4Error, Sample, Track, parse_fragments
from voxel_prepare.isobmff.boxes import Box, BoxReader
from voxel_prepare.isobmff.sample_boxes import SampleBoxes, make_box
from voxel_prepare.repair.repaired_segment import repair_error

RUN_FLAGS = 0x1 | 0x100 | 0x200 | 0x400 | 0x800
"""Flags of a `trun` (§8.8.8): data offset; duration, size, flags and composition offset of each sample."""
MDAT_HEADER = 8
MOST_TIME = 1 << 53
"""Times of decoding are below, so that every implementation can count with them."""


@dataclass(slots=True)
class _Kept:
    """A sample that stays; times count in the track's timescale."""

    sample: Sample
    data: bytes
    decode_time: int
    duration: int
    presentation_time: int


def remove_samples(
    track: Track,
    segment: bytes,
    removed: Collection[int],
    replaced: Mapping[int, bytes] | None = None,
    decoded_until: int | None = None,
) -> bytes:
    """The segment without the samples at these places in decode order, and with other bytes in the `replaced` ones.

    The picture shown before one that is removed stands until the next one that is kept, so the first sample must stay.
    With `decoded_until`, `segment` is a chunk, and what came before it cannot be changed any more, of which decoding
    ends at that time: the first sample that stays is decoded from there on, and any may go. Raises a `RepairError`.
    """
    try:
        fragments = parse_fragments(segment, track.defaults)
        samples = [sample for fragment in fragments for sample in fragment.samples]
        if decoded_until is None and 0 in removed:
            raise MalformedStream("the first sample of a segment cannot be removed")
        stays = [place not in removed for place in range(len(samples))]
        kept = {
            place: _keep(segment, samples[place], replaced or {}, place) for place, stay in enumerate(stays) if stay
        }
        if decoded_until is None:
            _time_by_presentation(samples, list(kept.values()))
        else:
            _time_by_decoding(samples, list(kept.values()), decoded_until)
        with memoryview(segment) as view:
            return b"".join(_write_segment(track, view, fragments, stays, kept))
    except Mp4Error as error:
        raise repair_error(error) from error


def _keep(segment: bytes, sample: Sample, replaced: Mapping[int, bytes], place: int) -> _Kept:
    data = replaced.get(place, segment[sample.offset : sample.offset + sample.size])
    return _Kept(sample, data, sample.decode_time, sample.duration, sample.presentation_time)


def _time_by_presentation(samples: Sequence[Sample], kept: Sequence[_Kept]) -> None:
    """Each sample lasts until the next one is shown, and decoding follows: what is shown has no gap.

    Browsers take the time to the next sample to be decoded for the time that a picture is shown, and find it by that
    when they seek.
    """
    if not samples:
        return
    first = min(sample.presentation_time for sample in samples)
    end = first + samples[-1].decode_time + samples[-1].duration - samples[0].decode_time
    shown = sorted(kept, key=lambda sample: sample.presentation_time)
    shown[0].presentation_time = first
    for sample, following in pairwise(shown):
        sample.duration = following.presentation_time - sample.presentation_time
    shown[-1].duration = max(end - shown[-1].presentation_time, 1)
    decode_time = samples[0].decode_time
    for sample in kept:
        sample.decode_time = decode_time
        decode_time += sample.duration


def _time_by_decoding(samples: Sequence[Sample], kept: Sequence[_Kept], decoded_until: int) -> None:
    """Each sample lasts until the next one is decoded, the first from `decoded_until` on."""
    if not kept:
        return
    kept[0].decode_time = decoded_until
    for sample, following in pairwise(kept):
        sample.duration = following.decode_time - sample.decode_time
    kept[-1].duration = samples[-1].decode_time + samples[-1].duration - kept[-1].decode_time


def _write_segment(
    track: Track, view: memoryview, fragments: Sequence[Fragment], stays: Sequence[bool], kept: Mapping[int, _Kept]
) -> list[bytes]:
    pieces: list[bytes] = []
    reader = BoxReader(view)
    moofs = (box for box in reader.boxes(0, len(view)) if box.type == "moof")
    place = 0
    for fragment, moof in zip(fragments, moofs, strict=False):
        places = range(place, place + len(fragment.samples))
        place = places.stop
        between = bytes(view[fragment.moof_end : fragment.mdat_start])
        pieces.append(bytes(view[fragment.start : fragment.moof_start]))
        mine = [kept[each] for each in places if each in kept]
        if mine:
            encryption = track.description_of(fragment).encryption
            traf = reader.only_child(moof, "traf")
            iv_bytes = encryption.protection.iv_bytes if encryption else 0
            boxes = SampleBoxes.of(reader, view, traf, stays[places.start : places.stop], iv_bytes)
            media = make_box("mdat", *(sample.data for sample in mine))
            head = _write_moof(reader, view, moof, boxes, mine, len(between))
            pieces += [head, between, media]
        else:
            pieces.append(between)
    pieces.append(bytes(view[fragments[-1].end :]))
    return pieces


def _write_moof(
    reader: BoxReader, view: memoryview, moof: Box, boxes: SampleBoxes, kept: Sequence[_Kept], between: int
) -> bytes:
    """The `moof` of the samples that stay; `between`: bytes of boxes between it and its `mdat`."""

    def build(length: int, senc_offset: int) -> tuple[bytes, int]:
        """With the positions that are stated; and where the first entry of the `senc` lies."""
        parts: list[bytes] = []
        at = 0
        for box in reader.children(moof):
            part = bytes(view[box.start : box.end])
            if box.type == "traf":
                data_offset = length + between + MDAT_HEADER
                part, inside = _write_traf(boxes, kept, data_offset, senc_offset)
                at = 8 + sum(map(len, parts)) + inside
            parts.append(part)
        return make_box("moof", *parts), at

    # What is stated changes no length.
    draft, senc_offset = build(0, 0)
    return build(len(draft), senc_offset)[0]


def _write_traf(boxes: SampleBoxes, kept: Sequence[_Kept], data_offset: int, senc_offset: int) -> tuple[bytes, int]:
    """The `traf`, and where in it the `senc` has its first entry."""
    parts: list[bytes] = []
    at = 0
    kinds = [box.type for box in boxes.boxes]
    if "tfdt" not in kinds:
        raise UnsupportedStream("fragments without a tfdt box")
    for place, box in enumerate(boxes.boxes):
        if box.type == "trun":
            parts.append(_write_run(kept, data_offset) if kinds.index("trun") == place else b"")
        elif box.type == "tfdt":
            parts.append(make_box("tfdt", struct.pack(">IQ", 1 << 24, _time(kept[0].decode_time))))
        else:
            if box.type == "senc":
                at = 8 + sum(map(len, parts)) + 16
            parts.append(boxes.write(box, senc_offset))
    return make_box("traf", *parts), at


def _write_run(kept: Sequence[_Kept], data_offset: int) -> bytes:
    try:
        entries = (
            struct.pack(
                ">IIIi",
                *(sample.duration, len(sample.data), sample.sample.flags),
                sample.presentation_time - sample.decode_time,
            )
            for sample in kept
        )
        return make_box("trun", struct.pack(">IIi", 1 << 24 | RUN_FLAGS, len(kept), data_offset), *entries)
    except struct.error as error:
        raise MalformedStream("times of samples lie too far apart") from error


def _time(decode_time: int) -> int:
    if not 0 <= decode_time < MOST_TIME:
        raise MalformedStream(f"decode time {decode_time} is out of range")
    return decode_time
