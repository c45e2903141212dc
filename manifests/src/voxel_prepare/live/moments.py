"""Moments of a stream as people name them."""

import re
from datetime import UTC, datetime
from fractions import Fraction

from voxel_prepare.errors import InputError
from voxel_prepare.manifest.live_mpd import date_time

SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def moment(text: str, newest: Fraction, option: str) -> Fraction:
    """A moment in ms since 1970 (UTC): seconds before `newest`, or a date and time; UTC, unless it states another zone.

    Raises `InputError`, which names the option.
    """
    if SECONDS.fullmatch(text):
        return newest - 1000 * Fraction(text)
    try:
        time = datetime.fromisoformat(text)
        return Fraction((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()).limit_denominator(1000) * 1000
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{option} must be seconds before the newest, or a time such as 2026-11-29T12:00:00Z, got {text!r}"
        ) from error


def utc(time: Fraction) -> str:
    """A moment, given in ms since 1970 (UTC), as date and time."""
    return date_time(round(time))
