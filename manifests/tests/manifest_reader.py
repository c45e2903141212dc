"""Reads back what a manifest says, independently of the code that writes it."""

from dataclasses import dataclass
from pathlib import Path

from lxml import etree
from mpd_schema import VOXEL
from voxel_prepare.analysis.segment_analysis import SegmentAnalysis
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.manifest.index_file import INDEX_SCHEMES, read_index
from voxel_prepare.repair.hold import HoldableFrame


@dataclass(frozen=True)
class Segment:
    media_range: ByteRange
    reliable: list[ByteRange]
    unreliable: list[ByteRange]
    steps: list[tuple[float, int, int]]
    reliable_size: int
    plan: list[HoldableFrame]
    """Where pictures are held; ranges from the segment's first byte."""


@dataclass(frozen=True)
class Representation:
    attributes: dict[str, str]
    content_type: str
    frame_rate: str
    language: str
    media: Path
    initialization: ByteRange
    segment_seconds: float
    segments: list[Segment]

    def bytes_of(self, range_: ByteRange) -> bytes:
        return self.media.read_bytes()[range_.start : range_.end]


def read_manifest(folder: Path) -> list[Representation]:
    """All representations, in order."""
    mpd = etree.parse(folder / "manifest.mpd").getroot()
    return [_representation(folder, element) for element in mpd.findall(".//{*}Representation")]


def _representation(folder: Path, element: etree._Element) -> Representation:
    segment_list = _child(element, "SegmentList")
    adaptation_set = element.getparent()
    assert adaptation_set is not None
    return Representation(
        attributes={etree.QName(name).localname: str(value) for name, value in element.attrib.items()},
        content_type=_attribute(adaptation_set, "contentType"),
        frame_rate=_attribute(adaptation_set, "frameRate"),
        language=_attribute(adaptation_set, "lang"),
        media=folder / (_child(element, "BaseURL").text or ""),
        initialization=_range(_attribute(_child(segment_list, "Initialization"), "range")),
        segment_seconds=int(_attribute(segment_list, "duration")) / int(_attribute(segment_list, "timescale")),
        segments=_segments(folder, element, segment_list.findall("{*}SegmentURL")),
    )


def _segments(folder: Path, representation: etree._Element, urls: list[etree._Element]) -> list[Segment]:
    """From the index where the manifest has no attributes."""
    (index,) = [
        _attribute(element, "value")
        for element in representation.findall("{*}SupplementalProperty")
        if _attribute(element, "schemeIdUri") in INDEX_SCHEMES
    ] or [""]
    if not index or _voxel(urls[0], "ssims"):
        return [_segment(url) for url in urls]
    analyses = read_index((folder / index).read_bytes())
    return [_indexed_segment(url, analysis) for url, analysis in zip(urls, analyses, strict=True)]


def _indexed_segment(url: etree._Element, analysis: SegmentAnalysis | None) -> Segment:
    assert analysis is not None
    media_range = _range(_attribute(url, "mediaRange"))
    assert media_range == analysis.range
    steps = [(step.score, step.frames, step.bytes) for step in analysis.steps]
    return Segment(
        media_range, analysis.reliable, analysis.unreliable, steps, analysis.reliable_bytes, analysis.hold_plan
    )


def _segment(url: etree._Element) -> Segment:
    steps = [step.split(":") for step in _voxel(url, "ssims").split(",") if step]
    return Segment(
        media_range=_range(_attribute(url, "mediaRange")),
        reliable=_ranges(_voxel(url, "reliable")),
        unreliable=_ranges(_voxel(url, "unreliable")),
        steps=[(float(score), int(frames), int(size)) for score, frames, size in steps],
        reliable_size=int(_voxel(url, "reliableSize") or 0),
        plan=[],
    )


def _attribute(element: etree._Element, name: str) -> str:
    return str(element.get(name, ""))


def _voxel(element: etree._Element, name: str) -> str:
    return _attribute(element, f"{{{VOXEL}}}{name}")


def _child(element: etree._Element, name: str) -> etree._Element:
    found = element.find(f"{{*}}{name}")
    assert found is not None
    return found


def _ranges(text: str) -> list[ByteRange]:
    return [_range(part) for part in text.split(",") if part]


def _range(text: str) -> ByteRange:
    first, last = text.split("-")
    return ByteRange(int(first), int(last) + 1)
