"""What all readers and writers of MPDs share: attribute names, parsing, and the resolution of URLs to local files."""

from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.errors import InputError

MANIFEST = "manifest.mpd"
"""Name of the MPD in an output folder."""

VOXEL_NAMESPACE = "urn:voxel-dash:2026"
VOXEL_PREFIX = "voxel"
"""Of VOXEL's attributes: the schema of MPDs allows foreign attributes only in a namespace of their own."""

SCORES = {Metric.SSIM: "ssims", Metric.PSNR: "psnrs", Metric.VMAF: "vmafs"}
AVERAGES = {Metric.SSIM: "avgSSIM", Metric.PSNR: "avgPSNR", Metric.VMAF: "avgVMAF"}
"""Attributes of a `SegmentURL` and of a `Representation`."""

FactsPlace: TypeAlias = Literal["index", "index and attributes"]
"""Where segments are described: in an index file for each representation, or also in attributes of the MPD."""


def voxel_attribute(name: str) -> str:
    """The name of an attribute in VOXEL's namespace, as lxml writes it."""
    return f"{{{VOXEL_NAMESPACE}}}{name}"


def get_voxel(element: etree._Element, name: str) -> str | None:
    """An attribute of VOXEL's; the thesis and earlier versions wrote them without a namespace."""
    return element.get(voxel_attribute(name), element.get(name))


def parse_mpd(path: Path) -> etree._ElementTree:
    """Reads an MPD without following external entities. Raises `InputError`."""
    try:
        mpd = etree.parse(path, etree.XMLParser(resolve_entities=False, no_network=True))
    except OSError as error:
        raise InputError(f"{path}: no such file") from error
    except etree.XMLSyntaxError as error:
        raise InputError(f"{path}: not an MPD: {' '.join(str(error.msg).split())}") from error
    root = etree.QName(mpd.getroot()).localname
    if root != "MPD":
        raise InputError(f"{path}: not an MPD: expected the root element MPD, found {root}")
    return mpd


def base_url(mpd: Path, element: etree._Element) -> str:
    """The URL to which those in `element` are relative: every enclosing `BaseURL` counts (ISO/IEC 23009-1 §5.6).

    Raises `InputError`.
    """
    base = mpd.resolve().as_uri()
    for ancestor in reversed([element, *element.iterancestors()]):
        base = _joined(base, (ancestor.findtext("{*}BaseURL") or "").strip())
    return base


def local_path(base: str, url: str) -> Path:
    """The file at `url`, which is relative to `base`. Raises `InputError` unless it is on this machine."""
    joined = _joined(base, url)
    parts = urlsplit(joined)
    if parts.scheme != "file" or parts.netloc:
        raise InputError(f"{joined}: must be a local file, relative to the MPD or a file:/// URL")
    return Path(unquote(parts.path))


def _joined(base: str, url: str) -> str:
    """`url` relative to `base`. Raises `InputError`."""
    try:
        return urljoin(base, url)
    except ValueError as error:  # an address in brackets that is none
        raise InputError(f"{url}: not a valid URL") from error
