"""Writes a copy of an existing MPD that also names an index for each representation."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from urllib.parse import quote

from lxml import etree

from voxel_prepare.manifest.existing import ExistingPresentation, ExistingRepresentation
from voxel_prepare.manifest.index_file import INDEX_SCHEME, INDEX_SCHEMES
from voxel_prepare.manifest.mpd import VideoFile, add_attributes, add_average
from voxel_prepare.manifest.mpd_file import (
    AVERAGES,
    FORETOLD,
    SCORES,
    VOXEL_NAMESPACE,
    VOXEL_PREFIX,
    FactsPlace,
    base_urls,
    is_relative,
    voxel_attribute,
)

SEGMENT_ATTRIBUTES = ("reliable", "unreliable", "reliableSize", *SCORES.values())

LIVE_ATTRIBUTES = ("minimumUpdatePeriod", "timeShiftBufferDepth", "suggestedPresentationDelay", "availabilityEndTime")
"""Attributes of an MPD that say how players follow what is live (ISO/IEC 23009-1 table 3)."""

BEFORE_INDEX = {
    "FramePacking",
    "AudioChannelConfiguration",
    "ContentProtection",
    "OutputProtection",
    "EssentialProperty",
    "SupplementalProperty",
}
"""The elements of a Representation that stand before the index; all others follow it (ISO/IEC 23009-1 §5.3.7.3)."""


def write_indexed_mpd(
    presentation: ExistingPresentation,
    video: Iterable[tuple[ExistingRepresentation, VideoFile]],
    folder: Path,
    facts: FactsPlace,
) -> bytes:
    """The MPD for `folder`, which contains the indexes; `video` pairs existing representations with their analyses.

    Addressing stays the same, except for a `BaseURL` from `folder` to the folder of the existing MPD. Segments of a
    SegmentList also get attributes if `facts` asks for them. A live presentation, which has ended, becomes static.
    """
    for existing, found in video:
        representation = existing.element
        _remove_facts(representation)
        add_average(representation, found)
        _add_index(representation, _relative(folder / found.index, existing.folder))
        if facts == "index and attributes":
            _add_attributes(representation, found)
    _make_static(presentation.mpd.getroot())
    if folder.resolve() != presentation.folder:
        _lead_to(presentation.mpd.getroot(), _relative(presentation.folder, folder))
    _declare_namespace(presentation.mpd)
    return etree.tostring(presentation.mpd, xml_declaration=True, encoding="utf-8")


def _remove_facts(representation: etree._Element) -> None:
    """Removes the indexes and attributes of an earlier preparation."""
    names = (*AVERAGES.values(), FORETOLD, *SEGMENT_ATTRIBUTES)
    etree.strip_attributes(representation, *names, *map(voxel_attribute, names))
    for element in representation.findall("{*}SupplementalProperty"):
        if element.get("schemeIdUri") in INDEX_SCHEMES:
            representation.remove(element)


def _add_index(representation: etree._Element, index: str) -> None:
    element = etree.Element(_sibling(representation, "SupplementalProperty"), schemeIdUri=INDEX_SCHEME, value=index)
    element.tail = representation.text
    representation.insert(_position_after(representation, BEFORE_INDEX), element)


def _position_after(parent: etree._Element, names: Collection[str]) -> int:
    """The position after the last child with one of these names, 0 if there is none."""
    positions = (
        position
        for position, child in enumerate(parent, start=1)
        if isinstance(child.tag, str) and etree.QName(child).localname in names
    )
    return max(positions, default=0)


def _add_attributes(representation: etree._Element, video: VideoFile) -> None:
    urls = representation.findall("{*}SegmentList/{*}SegmentURL")
    if all(url.get("mediaRange") for url in urls) and len(urls) == len(video.analyses):
        for url, analysis in zip(urls, video.analyses, strict=True):
            add_attributes(url, analysis)


def _relative(path: Path, folder: Path) -> str:
    """The relative URL from `folder` to `path`."""
    return quote(os.path.relpath(path.resolve(), folder.resolve()))


def _make_static(mpd: etree._Element) -> None:
    if mpd.get("type") == "dynamic":
        mpd.set("type", "static")
        for name in LIVE_ATTRIBUTES:
            if name in mpd.attrib:
                del mpd.attrib[name]


def _lead_to(mpd: etree._Element, folder: str) -> None:
    """Makes all relative URLs start from `folder`; absolute ones beside them stay."""
    prefix = f"{folder}/"
    bases = mpd.findall("{*}BaseURL")
    for base, url in zip(bases, base_urls(mpd), strict=True):
        if is_relative(url):
            base.text = prefix + url
    if not bases:
        base = etree.Element(_sibling(mpd, "BaseURL"))
        base.text, base.tail = prefix, mpd.text
        mpd.insert(_position_after(mpd, {"ProgramInformation"}), base)


def _declare_namespace(mpd: etree._ElementTree) -> None:
    """Declares the namespace of VOXEL's attributes once, at the root; all other declarations stay."""
    prefixes = {prefix for element in mpd.iter(etree.Element) for prefix in element.nsmap if prefix}
    own = VOXEL_PREFIX
    while mpd.getroot().nsmap.get(own, VOXEL_NAMESPACE) != VOXEL_NAMESPACE:
        own += "-"
    etree.cleanup_namespaces(mpd, top_nsmap={own: VOXEL_NAMESPACE}, keep_ns_prefixes=[*prefixes, own])


def _sibling(element: etree._Element, name: str) -> str:
    """`name` in the namespace of `element`."""
    return etree.QName(etree.QName(element).namespace, name).text
