"""What MPEG's schema (DASH-MPD.xsd, 5th edition) demands of the MPDs that the tests make.

The schema itself is not part of this repository: `check_mpd` knows the part that these MPDs need, and also validates
against the real one if there is a copy (SCHEMA_VARIABLE, or `../shared/data`).
"""

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lxml import etree

DASH = "urn:mpeg:dash:schema:mpd:2011"
VOXEL = "urn:voxel-dash:2026"
SCHEMA_VARIABLE = "VOXEL_DASH_SCHEMA"
"""The path of a DASH-MPD.xsd."""

SHARED = Path(__file__).parents[2] / ".." / "shared" / "data"

XLINK = b"""<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/1999/xlink">
<attribute name="href" type="anyURI"/><attribute name="actuate" type="string"/><attribute name="type" type="string"/>
<attribute name="show" type="string"/></schema>"""
"""The attributes of XLink that DASH-MPD.xsd imports, by a network address."""

TEXT = r".*"
WORD = r"\S+"
UNSIGNED = r"\d{1,10}"
BOOLEAN = "true|false|0|1"
DURATION = r"PT(\d+H)?(\d+M)?\d+(\.\d+)?S"
DATE_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
NUMBER = r"\d+(\.\d+)?"
RANGE = r"\d+-\d+"
LANGUAGE = r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*"
FRAME_RATE = r"\d+(/[1-9]\d*)?"
CODECS = r"[\w.]+"


@dataclass(frozen=True)
class Rule:
    """What an element may contain."""

    children: tuple[str, ...] = ()
    """In this order, each any number of times."""
    required: tuple[tuple[str, str], ...] = ()
    """Names of attributes, and patterns of their values."""
    optional: tuple[tuple[str, str], ...] = ()

    def complaints(self, element: etree._Element) -> list[str]:
        names = [etree.QName(child).localname for child in element.iterchildren(etree.Element)]
        patterns = dict(self.required + self.optional)
        own = {str(name): str(value) for name, value in element.attrib.items() if not str(name).startswith("{")}
        return [
            *(f"child {name}" for name in names if name not in self.children),
            *(["order of children"] if names != sorted(names, key=(*self.children, *names).index) else []),
            *(f"attribute {name} is missing" for name, _ in self.required if name not in own),
            *(f"attribute {name}" for name in own if name not in patterns),
            *(
                f"{name}={value!r}"
                for name, value in own.items()
                if name in patterns and not re.fullmatch(patterns[name], value)
            ),
        ]


DESCRIPTORS = ("AudioChannelConfiguration", "EssentialProperty", "SupplementalProperty", "InbandEventStream", "Label")
ADDRESSES = ("BaseURL", "SegmentBase", "SegmentList", "SegmentTemplate")
DESCRIPTOR = Rule(required=(("schemeIdUri", WORD),), optional=(("value", TEXT), ("id", TEXT)))
SEGMENTS = (("timescale", UNSIGNED), ("duration", UNSIGNED), ("startNumber", UNSIGNED), ("indexRange", RANGE))
COMMON = (
    ("mimeType", WORD),
    ("codecs", CODECS),
    ("width", UNSIGNED),
    ("height", UNSIGNED),
    ("sar", r"\d*:\d*"),
    ("frameRate", FRAME_RATE),
    ("audioSamplingRate", UNSIGNED),
    ("startWithSAP", "[0-6]"),
)

FOREIGN = {"http://www.scte.org/schemas/35/2016"}
"""Namespaces of what events contain."""

RULES = {
    "MPD": Rule(
        ("ProgramInformation", "BaseURL", "ServiceDescription", "Period", "UTCTiming"),
        (("profiles", WORD), ("minBufferTime", DURATION)),
        (
            *(("type", "static|dynamic"), ("mediaPresentationDuration", DURATION), ("maxSegmentDuration", DURATION)),
            *(("availabilityStartTime", DATE_TIME), ("publishTime", DATE_TIME)),
            *(("minimumUpdatePeriod", DURATION), ("timeShiftBufferDepth", DURATION)),
        ),
    ),
    "ProgramInformation": Rule(),
    "ServiceDescription": Rule(("Latency", "PlaybackRate"), optional=(("id", UNSIGNED),)),
    "Latency": Rule(optional=(("referenceId", UNSIGNED), ("target", UNSIGNED))),
    "PlaybackRate": Rule(optional=(("min", NUMBER), ("max", NUMBER))),
    "UTCTiming": DESCRIPTOR,
    "ProducerReferenceTime": Rule(
        ("UTCTiming",),
        (("id", UNSIGNED), ("wallClockTime", DATE_TIME), ("presentationTime", UNSIGNED)),
        (("inband", BOOLEAN), ("type", "encoder|captured|application")),
    ),
    "EventStream": Rule(
        ("Event",), (("schemeIdUri", WORD),), (("timescale", UNSIGNED), ("presentationTimeOffset", UNSIGNED))
    ),
    "Event": Rule(("Signal",), optional=(("presentationTime", r"\d+"), ("duration", r"\d+"), ("id", UNSIGNED))),
    "Period": Rule(
        (*ADDRESSES, "EventStream", "AdaptationSet"),
        optional=(("id", TEXT), ("start", DURATION), ("duration", DURATION)),
    ),
    "AdaptationSet": Rule(
        (*DESCRIPTORS, "ProducerReferenceTime", "Role", *ADDRESSES, "Representation"),
        optional=(
            *COMMON,
            *(("id", UNSIGNED), ("contentType", "video|audio|text"), ("lang", LANGUAGE), ("par", r"\d*:\d*")),
            *(("maxWidth", UNSIGNED), ("maxHeight", UNSIGNED), ("selectionPriority", UNSIGNED)),
            *(("segmentAlignment", BOOLEAN), ("bitstreamSwitching", BOOLEAN)),
        ),
    ),
    "Representation": Rule((*DESCRIPTORS, *ADDRESSES), (("id", WORD), ("bandwidth", UNSIGNED)), COMMON),
    "SegmentBase": Rule(("Initialization",), optional=SEGMENTS),
    "SegmentList": Rule(("Initialization", "SegmentTimeline", "SegmentURL"), optional=SEGMENTS),
    "SegmentTemplate": Rule(
        ("Initialization", "SegmentTimeline"),
        optional=(
            *(*SEGMENTS, ("media", TEXT), ("initialization", TEXT), ("presentationTimeOffset", UNSIGNED)),
            *(("availabilityTimeOffset", NUMBER), ("availabilityTimeComplete", BOOLEAN)),
        ),
    ),
    "SegmentTimeline": Rule(("S",)),
    "S": Rule(required=(("d", UNSIGNED),), optional=(("t", UNSIGNED), ("r", r"-?\d+"))),
    "Initialization": Rule(optional=(("range", RANGE), ("sourceURL", WORD))),
    "SegmentURL": Rule(optional=(("mediaRange", RANGE), ("indexRange", RANGE), ("media", WORD))),
    "BaseURL": Rule(),
    "Label": Rule(),
    "Role": DESCRIPTOR,
    "InbandEventStream": DESCRIPTOR,
    "AudioChannelConfiguration": DESCRIPTOR,
    "EssentialProperty": DESCRIPTOR,
    "SupplementalProperty": DESCRIPTOR,
}

VOXEL_ATTRIBUTES = {
    "Representation": {"avgSSIM", "avgPSNR", "avgVMAF"},
    "SegmentURL": {"reliable", "unreliable", "ssims", "psnrs", "vmafs", "reliableSize"},
}


def check_mpd(mpd: Path | bytes) -> None:
    """Fails, with every reason, unless the MPD is valid and VOXEL's attributes are where they belong."""
    root = etree.fromstring(mpd if isinstance(mpd, bytes) else mpd.read_bytes())
    own = [element for element in root.iter(etree.Element) if etree.QName(element).namespace not in FOREIGN]
    complaints = [complaint for element in own for complaint in _complaints(element)]
    assert complaints == []
    schema = find_schema()
    if schema is not None:
        load_schema(schema).assertValid(root)


def _complaints(element: etree._Element) -> list[str]:
    name = etree.QName(element)
    if name.namespace != DASH or name.localname not in RULES:
        return [f"unknown element {name.text}"]
    own = {etree.QName(key).localname for key in element.attrib if etree.QName(key).namespace == VOXEL}
    foreign = own - VOXEL_ATTRIBUTES.get(name.localname, set())
    return [f"{name.localname}: {complaint}" for complaint in [*RULES[name.localname].complaints(element), *foreign]]


@cache
def find_schema() -> Path | None:
    """A copy of DASH-MPD.xsd; None if there is none."""
    given = os.environ.get(SCHEMA_VARIABLE)
    return Path(given) if given else next((path for path in SHARED.glob("**/DASH-MPD.xsd")), None)


@cache
def load_schema(path: Path) -> etree.XMLSchema:
    """The schema, with a stand-in for the one that it imports."""
    parser = etree.XMLParser(load_dtd=True, no_network=True)
    parser.resolvers.add(_XlinkResolver())
    return etree.XMLSchema(etree.parse(path, parser))


class _XlinkResolver(etree.Resolver):
    def resolve(self, system_url: str, public_id: str, context: object) -> object:  # type: ignore[override]
        return self.resolve_string(XLINK, context, base_url=system_url) if system_url.endswith("/xlink.xsd") else None
