"""Writes the copy of an existing MPD that also names an index for each level."""

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from lxml import etree

from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS
from voxel_prepare.manifest.existing import Ladder, LadderLevel
from voxel_prepare.manifest.index_file import INDEX_SCHEME
from voxel_prepare.manifest.mpd import VideoFile, add_attributes
from voxel_prepare.manifest.mpd_file import AVERAGES, SCORES, FactsPlace

SEGMENT_ATTRIBUTES = ("reliable", "unreliable", "reliableSize", *SCORES.values())

FIRST_AFTER_DESCRIPTORS = {"BaseURL", "SubRepresentation", "SegmentBase", "SegmentList", "SegmentTemplate"}
"""The elements of a Representation that must follow its descriptors (ISO/IEC 23009-1 §5.3.5.3)."""


def write_indexed_mpd(
    ladder: Ladder, levels: Iterable[tuple[LadderLevel, VideoFile]], folder: Path, facts: FactsPlace
) -> bytes:
    """The MPD for `folder`, where the indexes are; `levels` pairs levels of the ladder with what was found about them.

    Addressing stays as it is, but for a `BaseURL` that leads from `folder` to where the ladder lies. Segments that are
    listed one by one also get attributes where `facts` ask for them.
    """
    for existing, level in levels:
        representation = existing.element
        _remove_facts(representation)
        representation.set(AVERAGES[level.metric], f"{level.average_score:.{SCORE_DECIMALS}f}")
        _add_index(representation, _relative(folder / level.index, existing.folder))
        if facts == "index and attributes":
            _add_attributes(representation, level)
    if folder.resolve() != ladder.path.parent.resolve():
        _lead_to(ladder.mpd.getroot(), _relative(ladder.path.parent, folder))
    return etree.tostring(ladder.mpd, xml_declaration=True, encoding="utf-8")


def _remove_facts(representation: etree._Element) -> None:
    """Those of an earlier preparation."""
    etree.strip_attributes(representation, *AVERAGES.values(), *SEGMENT_ATTRIBUTES)
    for element in representation.findall("{*}SupplementalProperty"):
        if element.get("schemeIdUri") == INDEX_SCHEME:
            representation.remove(element)


def _add_index(representation: etree._Element, index: str) -> None:
    element = etree.Element(_sibling(representation, "SupplementalProperty"), schemeIdUri=INDEX_SCHEME, value=index)
    element.tail = representation.text
    positions = (
        position
        for position, child in enumerate(representation)
        if isinstance(child.tag, str) and etree.QName(child).localname in FIRST_AFTER_DESCRIPTORS
    )
    representation.insert(next(positions, len(representation)), element)


def _add_attributes(representation: etree._Element, level: VideoFile) -> None:
    urls = representation.findall("{*}SegmentList/{*}SegmentURL")
    if all(url.get("mediaRange") for url in urls) and len(urls) == len(level.analyses):
        for url, analysis in zip(urls, level.analyses, strict=True):
            add_attributes(url, analysis)


def _relative(path: Path, folder: Path) -> str:
    """The URL that leads from `folder` to `path`."""
    return quote(os.path.relpath(path.resolve(), folder.resolve()))


def _lead_to(mpd: etree._Element, folder: str) -> None:
    """Makes all relative URLs go through `folder`."""
    prefix = f"{folder}/"
    bases = mpd.findall("{*}BaseURL")
    for base in bases:
        base.text = prefix + (base.text or "").strip()
    if not bases:
        base = etree.Element(_sibling(mpd, "BaseURL"))
        base.text, base.tail = prefix, mpd.text
        mpd.insert(len(mpd.findall("{*}ProgramInformation")), base)


def _sibling(element: etree._Element, name: str) -> str:
    """`name` in the namespace of `element`."""
    return etree.QName(etree.QName(element).namespace, name).text
