"""What all readers and writers of MPDs share: attribute names, parsing, and the resolution of URLs to local files."""

from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.errors import InputError, StaysPlain

MANIFEST = "manifest.mpd"
"""Name of the MPD in an output folder."""

VOXEL_NAMESPACE = "urn:voxel-dash:2026"
VOXEL_PREFIX = "voxel"
"""Prefix of VOXEL's attributes: the schema of MPDs allows foreign attributes only in a namespace of their own."""

SCORES = {metric: f"{metric}s" for metric in Metric}
AVERAGES = {metric: f"avg{metric.upper()}" for metric in Metric}
"""Attributes of a `SegmentURL` and of a `Representation`."""

FORETOLD = "foretold"
"""Attribute of a `Representation` whose scores are foretold from bytes, not measured."""

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
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        mpd = etree.ElementTree(etree.fromstring(regular_file(path).read_bytes(), parser))
    except etree.XMLSyntaxError as error:
        raise InputError(f"{path}: not an MPD: {' '.join(str(error.msg).split())}") from error
    root = etree.QName(mpd.getroot()).localname
    if root != "MPD":
        raise InputError(f"{path}: not an MPD: expected the root element MPD, found {root}")
    return mpd


def regular_file(path: Path) -> Path:
    """`path`, if there is a file to read. Raises `InputError`; a pipe or a device could keep a reader forever."""
    if not exists(path):
        raise InputError(f"{path}: no such file")
    return path


def exists(path: Path) -> bool:
    """True if there is a file to read."""
    try:
        return path.is_file()
    except OSError:  # a name that is too long, a folder that may not be read
        return False


def base_url(mpd: Path, element: etree._Element) -> str:
    """The URL to which those in `element` are relative: every enclosing `BaseURL` counts (ISO/IEC 23009-1 §5.6).

    Of several beside each other, which name the same files in several places, that of the local files is taken.
    Raises `InputError`, `StaysPlain` if there is none such.
    """
    base = mpd.resolve().as_uri()
    for enclosing in reversed([element, *element.iterancestors()]):
        urls = base_urls(enclosing)
        base = _joined(base, next(filter(is_relative, urls), next(iter(urls), "")))
    return base


def base_urls(element: etree._Element) -> list[str]:
    """The `BaseURL` elements of an element itself: one after the other the same files in another place."""
    return [(found.text or "").strip() for found in element.iterfind("{*}BaseURL")]


def is_relative(url: str) -> bool:
    """True for what depends on the place of the MPD: neither with a scheme or host nor from the root of a server."""
    try:
        parts = urlsplit(url)
    except ValueError:  # an address in brackets that is none
        return False
    return not (parts.scheme or parts.netloc or parts.path.startswith("/"))


def local_path(folder: Path, base: str, url: str) -> Path:
    """The file at `url`, relative to `base`, a `base_url` of an MPD in `folder`, which is absolute and without links.

    Raises `InputError` unless it is in that folder: an MPD may come from anywhere, and must not name other files.
    """
    joined = _joined(base, url)
    try:
        path = Path(unquote(urlsplit(joined).path)).resolve()
    except (ValueError, RuntimeError, OSError) as error:  # a zero byte, links in a circle
        raise InputError(f"{joined!r}: not the name of a file") from error
    if not path.is_relative_to(folder):
        raise InputError(f"{path}: an MPD may only name files in its own folder, {folder}")
    return path


def _joined(base: str, url: str) -> str:
    """`url` relative to `base`. Raises `InputError`, `StaysPlain` for one that is not local."""
    try:
        parts = urlsplit(url)
        joined = urljoin(base, url)
    except ValueError as error:  # an address in brackets that is none
        raise InputError(f"{url}: not a valid URL") from error
    if parts.scheme or parts.netloc:
        raise StaysPlain(f"{url}: must be relative to the MPD: only local files beside it are read")
    return joined
