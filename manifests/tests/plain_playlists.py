"""The rules for ordinary playlists of growing streams."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from live_playlist_reader import ReadPlaylist, read_playlist
from published import records_of


def check_plain(state: ReadPlaylist) -> None:
    """Nothing of parts, segments of real durations that follow each other in time."""
    assert not {"#EXT-X-PART-INF", "#EXT-X-SERVER-CONTROL", "#EXT-X-PRELOAD-HINT"} & set(state.tags)
    assert not [line for line in state.lines if line.startswith("#VOXEL-BLOCKING")]
    assert state.segments[0].map == "init.mp4"
    assert not state.open.parts
    for segment in state.segments:
        assert segment.uri == f"{segment.number}.m4s"
        assert segment.seconds is not None
        assert int(segment.seconds + 0.5) <= state.target
    for one, other in pairwise(state.segments):
        assert one.date is not None
        assert other.date is not None
        assert one.seconds is not None
        assert abs(one.date + timedelta(seconds=one.seconds) - other.date) <= timedelta(milliseconds=1)


def check_growth(track: Path, states: Sequence[str]) -> list[ReadPlaylist]:
    """No state lists what is not there, or anything else of a segment than another one; targets stay, nothing goes."""
    found = [read_playlist(text) for text in states]
    lengths = {number: records.length for number, records in records_of(track).items()}
    listed: dict[int, tuple[object, ...]] = {}
    assert len({state.target for state in found}) == 1
    for state in found:
        check_plain(state)
        assert "#EXT-X-ENDLIST" not in state.tags
        for segment in state.segments:
            assert lengths[segment.number] == (track / f"{segment.number}.m4s").stat().st_size
            assert listed.setdefault(segment.number, (segment.seconds, segment.date)) == (segment.seconds, segment.date)
    for before, after in pairwise(found):
        assert after.open.number > before.open.number
        assert after.segments[0].number >= before.segments[0].number
    return found
