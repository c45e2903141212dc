"""The periods of an existing presentation, with their times (ISO/IEC 23009-1 §5.3.2)."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from lxml import etree

from voxel_prepare.errors import InputError

DIGITS = "[0-9]{1,15}"
DURATION = re.compile(
    rf"(?P<sign>-)?P(?=.)(?:({DIGITS})Y)?(?:({DIGITS})M)?(?:({DIGITS})D)?"
    rf"(?:T(?=.)(?:({DIGITS})H)?(?:({DIGITS})M)?(?:({DIGITS}(?:\.[0-9]{{1,30}})?)S)?)?"
)
"""Form of an xs:duration; more digits take time that grows with their square."""

XML_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Period:
    """A period and its duration in seconds."""

    element: etree._Element
    duration: Fraction


def read_periods(mpd: etree._Element, path: Path) -> list[Period]:
    """The periods of an MPD, in order. Raises `InputError` if the duration of one is not stated."""
    periods: list[Period] = []
    elements = mpd.findall("{*}Period")
    if not elements:
        raise InputError(f"{path}: the MPD has no period")
    ends = [*(one.get("start") for one in elements[1:]), mpd.get("mediaPresentationDuration")]
    start = Fraction(0)
    for element, next_start in zip(elements, ends, strict=True):
        start = parse_duration(element.get("start"), path) if element.get("start") else start
        stated = element.get("duration")
        duration = parse_duration(stated, path) if stated else parse_duration(next_start, path) - start
        if duration <= 0:
            raise InputError(f"{path}: every period must have a positive duration, found {float(duration):g} s")
        periods.append(Period(element, duration))
        start += duration
    return periods


def check_ended(mpd: etree._Element, path: Path, now: datetime) -> None:
    """Raises `InputError` if the presentation is live and may still grow."""
    kind = mpd.get("type", "static")
    if kind == "static":
        return
    if kind != "dynamic":
        raise InputError(f"{path}: type must be static or dynamic, got {kind!r}")
    periods = mpd.findall("{*}Period")
    if not mpd.get("mediaPresentationDuration") and not (periods and periods[-1].get("duration")):
        raise InputError(f"{path}: --copy takes live presentations that have ended, this one states no end")
    if mpd.get("minimumUpdatePeriod") and not _is_over(mpd, path, now):
        raise InputError(f"{path}: --copy takes live presentations that have ended, this one may still change")


def _is_over(mpd: etree._Element, path: Path, now: datetime) -> bool:
    """True if the stated end has passed: some packagers leave the update period there for good."""
    stated = mpd.get("mediaPresentationDuration")
    try:
        begin = datetime.fromisoformat(mpd.get("availabilityStartTime", ""))
    except ValueError:
        return False
    begin = begin if begin.tzinfo else begin.replace(tzinfo=UTC)
    return stated is not None and begin.timestamp() + parse_duration(stated, path) < now.timestamp()


def parse_duration(text: str | None, path: Path) -> Fraction:
    """An xs:duration in seconds. Raises `InputError`, also for years and months, which have no fixed length."""
    found = DURATION.fullmatch((text or "").strip(XML_SPACE))
    if found is None:
        raise InputError(f"{path}: the MPD must state a duration such as PT1M30S, got {text!r}")
    years, months, days, hours, minutes, seconds = (Fraction(part or 0) for part in found.groups()[1:])
    if years or months:
        raise InputError(f"{path}: durations must be in days or less, as years and months differ, got {text!r}")
    duration = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if found["sign"] and duration:
        raise InputError(f"{path}: a duration must not be negative, got {text!r}")
    return duration
