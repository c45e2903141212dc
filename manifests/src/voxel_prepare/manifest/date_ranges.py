"""Cues in HLS playlists (draft-pantos-hls-rfc8216bis section 4.4.5.1.1): a date range for each, one for both ends of a
break."""

from collections.abc import Sequence
from fractions import Fraction

from voxel_prepare.manifest.live_mpd import EVENT_SCALE, LiveEvent, date_time


def date_ranges(events: Sequence[LiveEvent], availability_start: int, since: Fraction) -> list[str]:
    """Their tags; `availability_start`: ms since 1970 (UTC); `since`: what was over by then is left out, in seconds of
    media time. `events`: ascending in time.
    """
    lines: list[str] = []
    begun: dict[int | None, LiveEvent] = {}
    for event in events:
        if event.splice is None:
            continue
        start = begun.pop(event.splice_id, None) if event.splice == "IN" and event.splice_id is not None else None
        if event.splice == "OUT":
            begun[event.splice_id] = event
        if event.end >= since * EVENT_SCALE:
            lines.append(_tag(event, start or event, availability_start))
    return lines


def _tag(event: LiveEvent, start: LiveEvent, availability_start: int) -> str:
    def date(time: int) -> str:
        return f'"{date_time(availability_start + round(Fraction(1000 * time, EVENT_SCALE)))}"'

    attributes = {"ID": f'"{start.id}"', "START-DATE": date(start.time)}
    if event.splice == "OUT" and event.duration is not None:
        attributes["PLANNED-DURATION"] = f"{event.duration / EVENT_SCALE:.3f}"
    if start is not event:
        attributes["END-DATE"] = date(event.time)
        attributes["DURATION"] = f"{(event.time - start.time) / EVENT_SCALE:.3f}"
    attributes[f"SCTE35-{event.splice}"] = f"0x{event.section.hex().upper()}"
    return "#EXT-X-DATERANGE:" + ",".join(f"{name}={value}" for name, value in attributes.items())
