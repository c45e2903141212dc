"""What players say of themselves with their requests (CMCD: CTA-5004 and CTA-5004-B), as far as servers count it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote_plus

from .metrics import Metrics
from .structured import Item, parse_dictionary

_FIELDS = ("cmcd-object", "cmcd-request", "cmcd-session", "cmcd-status")

_MAX_BYTES = 4096
"""The longest that is looked at, as sent."""

_STARTUP = (0, 600_000)
_STALL = (0, 3_600_000)
_BITRATE = (1, 1_000_000)
_SCORE = (0, 100)
"""Values outside are not counted: ms, ms, kbit/s, and a score in any metric."""

_REMEMBERED = 1024
"""How many reports are remembered."""

_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Report:
    """What one request says. What it does not say, or says out of bounds, is None."""

    startup: float | None
    """Seconds until the first picture, once a playback (`com.voxel-dash-startup`)."""

    has_stalled: bool
    """The buffer of video has been empty since the request before (`bs`)."""

    stall: float | None
    """Seconds for which playback waited (`bsd`)."""

    bitrate: float | None
    """Bit/s of the video that is asked for (`br`)."""

    score: float | None
    """Score of the segment of video that came last, in its metric (`com.voxel-dash-score`)."""

    names_session: bool
    """It names its session (`sid`): another one with the same text is the same report."""


class Viewers:
    """Takes reports into the counters, each once. A player has one for a segment, which may take several requests."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._recent: dict[int, None] = {}
        """Hashes of those that came last, the oldest first."""

    def count(self, target: str, headers: Mapping[str, str]) -> None:
        """Counts what a request for a file says."""
        text = text_of(target, headers)
        report = None if text is None else parse(text)
        if report is None or (report.names_session and not self._take(hash(text))):
            return
        self._metrics.add("voxel_cmcd_reports_total")
        if report.has_stalled:
            self._metrics.add("voxel_cmcd_stalls_total")
        for name, value in (
            ("voxel_cmcd_startup_seconds", report.startup),
            ("voxel_cmcd_stall_seconds", report.stall),
            ("voxel_cmcd_bitrate_bits_per_second", report.bitrate),
            ("voxel_cmcd_score", report.score),
        ):
            if value is not None:
                self._metrics.observe(name, value)

    def _take(self, report: int) -> bool:
        """Remembers a report; False: it is known already."""
        if report in self._recent:
            return False
        if len(self._recent) >= _REMEMBERED:
            del self._recent[next(iter(self._recent))]
        self._recent[report] = None
        return True


def text_of(target: str, headers: Mapping[str, str]) -> str | None:
    """The CMCD of a request: that of its fields, or else of its target's parameter. None: it has none, or too much."""
    fields = [headers[name] for name in _FIELDS if headers.get(name)]
    if fields:
        text = ",".join(fields)
        return text if len(text.encode()) <= _MAX_BYTES else None
    parameters = target.partition("?")[2].split("&")
    value = next((it.removeprefix("CMCD=") for it in parameters if it.startswith("CMCD=")), "")
    return unquote_plus(value) if 0 < len(value.encode()) <= _MAX_BYTES else None


def parse(text: str) -> Report | None:
    """The report in a CMCD text; None where that is no dictionary (RFC 9651)."""
    try:
        said = parse_dictionary(text)
    except ValueError:
        return None
    object_type = said["ot"][0][0] if said.get("ot") else None
    rates = [item for item in said.get("br", ()) if _is_video(item, object_type)]
    startup = _number(said.get("com.voxel-dash-startup", ()), _STARTUP)
    stall = _number(said.get("bsd", ()), _STALL)
    bitrate = _number(rates, _BITRATE)
    return Report(
        startup=None if startup is None else startup / 1000,
        has_stalled=object_type != "a" and bool(said.get("bs")) and said["bs"][0][0] is True,
        stall=None if stall is None else stall / 1000,
        bitrate=None if bitrate is None else bitrate * 1000,
        score=_number(said.get("com.voxel-dash-score", ()), _SCORE),
        names_session="sid" in said,
    )


def _is_video(item: Item, object_type: object) -> bool:
    _, parameters = item
    return bool(parameters.keys() & {"v", "av"}) if parameters else object_type in ("v", "av")


def _number(items: Sequence[Item], bounds: tuple[int, int]) -> float | None:
    """The first one, if it is a number within bounds; custom keys have theirs in strings."""
    if not items:
        return None
    value = items[0][0]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, bool | str):
        return None
    return float(value) if bounds[0] <= value <= bounds[1] else None
