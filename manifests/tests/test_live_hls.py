"""LL-HLS playlists of a running `voxel-live`, from its folder and over a server that holds requests: a test for each
rule of draft-pantos-hls-rfc8216bis, which it names.
"""

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import av
import pytest
from clips import ffmpeg, make_clip_with_sound
from live_playlist_reader import ReadPlaylist, attributes, read_playlist
from processes import wait_for
from voxel_prepare.isobmff import parse_fragments
from voxel_prepare.manifest.hls_playlists import MULTIVARIANT

LIVE = [sys.executable, "-c", "from voxel_prepare.cli.live import main; main()"]
SERVE = [sys.executable, "-c", "from voxel_serve.cli import main; main()"]

TRACKS = ("v0", "v1", "a0")
LENGTH = 9
"""Segments that there are before playlists are looked at: more than delta updates have in full."""
RELOADS = 30


@dataclass
class Running:
    """A running presentation and a server of it."""

    folder: Path
    url: str

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=30) as response:
            assert response.headers["content-type"] == "application/vnd.apple.mpegurl"
            return bytes(response.read()).decode()

    def status(self, path: str) -> int:
        try:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=30) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("live")
    clip = make_clip_with_sound(folder / "clip.mp4", seconds=4)
    ffmpeg("-i", clip, "-vf", "scale=432:240", "-c:v", "libx264", "-c:a", "aac", folder / "source.mp4")
    out = folder / "out"
    words = [folder / "source.mp4", "--out", out, "--representations", "144p:0.1,240p:0.3"]
    live = subprocess.Popen([*LIVE, *map(str, words)], stderr=subprocess.DEVNULL)
    serve = subprocess.Popen(
        [*SERVE, str(folder), "--http-port", "0", "--quic-port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert serve.stdout is not None
        ready = json.loads(serve.stdout.readline())
        wait_for(lambda: (out / MULTIVARIANT).exists())
        wait_for(lambda: len(read_playlist((out / "v0" / "media.m3u8").read_text()).segments) >= LENGTH)
        yield Running(out, f"{ready['url'].rstrip('/')}/out/")
    finally:
        for process in (live, serve):
            process.terminate()
            process.wait(120)


@pytest.fixture(scope="module")
def written(running: Running) -> dict[str, list[str]]:
    """States of each playlist, as any web server has them."""
    states: dict[str, list[str]] = {name: [] for name in TRACKS}
    end = time.monotonic() + 4
    while time.monotonic() < end:
        for name, seen in states.items():
            text = (running.folder / name / "media.m3u8").read_text()
            if text not in seen[-1:]:
                seen.append(text)
        time.sleep(0.01)
    return states


@pytest.fixture(scope="module")
def in_folder(written: dict[str, list[str]]) -> dict[str, list[ReadPlaylist]]:
    """The same with what is in comments for servers that hold requests."""
    return {
        name: [read_playlist(text.replace("#VOXEL-BLOCKING:", "#")) for text in seen] for name, seen in written.items()
    }


@pytest.fixture(scope="module")
def reloaded(running: Running) -> dict[str, list[ReadPlaylist]]:
    """What a client gets that asks for the next part each time."""
    found: dict[str, list[ReadPlaylist]] = {}
    for name in TRACKS:
        states = [read_playlist(running.get(f"{name}/media.m3u8"))]
        for _ in range(RELOADS):
            number, part = states[-1].last
            states.append(read_playlist(running.get(f"{name}/media.m3u8?_HLS_msn={number}&_HLS_part={part + 1}")))
        found[name] = states
    return found


@pytest.fixture(params=TRACKS)
def plain(request: pytest.FixtureRequest, in_folder: dict[str, list[ReadPlaylist]]) -> list[ReadPlaylist]:
    states = in_folder[request.param]
    assert len(states) > 15
    return states


@pytest.fixture(params=TRACKS)
def served(request: pytest.FixtureRequest, reloaded: dict[str, list[ReadPlaylist]]) -> list[ReadPlaylist]:
    return reloaded[request.param]


@pytest.fixture(params=["folder", "server"])
def states(
    request: pytest.FixtureRequest, in_folder: dict[str, list[ReadPlaylist]], reloaded: dict[str, list[ReadPlaylist]]
) -> list[ReadPlaylist]:
    """All states of one source, whatever their track."""
    return [one for each in (in_folder if request.param == "folder" else reloaded).values() for one in each]


def test_the_multivariant_playlist_has_the_tags_of_one_and_no_others(running: Running) -> None:
    """4.4.6: a multivariant playlist has no media playlist tags; its variants have BANDWIDTH and their codecs."""
    lines = running.get(MULTIVARIANT).splitlines()
    names = {line.partition(":")[0] for line in lines if line.startswith("#")}
    every_kind = {"#EXTM3U", "#EXT-X-VERSION", "#EXT-X-INDEPENDENT-SEGMENTS"}
    assert names == {*every_kind, "#EXT-X-SESSION-DATA", "#EXT-X-MEDIA", "#EXT-X-STREAM-INF"}
    assert '#EXT-X-SESSION-DATA:DATA-ID="urn:voxel-dash:live:1",VALUE=".vxl"' in lines
    assert [line for line in lines if not line.startswith("#")] == ["v0/media.m3u8", "v1/media.m3u8"]
    for line in lines:
        if line.startswith("#EXT-X-STREAM-INF:"):
            found = attributes(line.partition(":")[2])
            assert re.fullmatch(r"avc1\.[0-9A-Fa-f]{6},mp4a\.40\.2", found["CODECS"])
            assert (found["AUDIO"], found["FRAME-RATE"]) == ("audio", "25.000")


def test_bandwidth_is_the_peak_of_all_segments(running: Running, reloaded: dict[str, list[ReadPlaylist]]) -> None:
    """4.4.6.2: the largest sum of peak segment bit rates."""
    variants = [line for line in running.get(MULTIVARIANT).splitlines() if line.startswith("#EXT-X-STREAM-INF:")]

    def peak(name: str) -> float:
        segments = reloaded[name][-1].segments
        sizes = [(running.folder / name / str(one.uri)).stat().st_size for one in segments]
        return max(8 * size / (one.seconds or 0) for one, size in zip(segments, sizes, strict=True))

    for name, line in zip(("v0", "v1"), variants, strict=True):
        assert int(attributes(line.partition(":")[2])["BANDWIDTH"]) >= peak(name) + peak("a0")


def test_the_version_is_that_of_the_tags(states: list[ReadPlaylist]) -> None:
    """8: EXT-X-MAP needs 6, EXT-X-SKIP 9."""
    assert {one.tags["#EXT-X-VERSION"] for one in states} == {"9"}


def test_the_target_duration_does_not_change_and_no_segment_is_longer(states: list[ReadPlaylist]) -> None:
    """4.4.3.1, 6.2.1: EXTINF, rounded to the nearest integer, is at most the target duration."""
    assert {one.target for one in states} == {1}
    assert all(round(segment.seconds or 0) <= one.target for one in states for segment in one.segments)


def test_parts_are_as_long_as_their_segment(states: list[ReadPlaylist]) -> None:
    """3: the parts of a segment are all of it, one after the other."""
    for segment in (segment for one in states for segment in one.segments if segment.parts):
        assert sum(part.seconds for part in segment.parts) == pytest.approx(segment.seconds, abs=1e-4)
        assert {part.uri for part in segment.parts} == {segment.uri}
        assert segment.parts[0].start == 0
        assert all(one.start + one.size == other.start for one, other in pairwise(segment.parts))


def test_no_part_is_longer_than_the_part_target_and_few_are_shorter(states: list[ReadPlaylist]) -> None:
    """4.4.4.9: at least 85 % of it, but for parts with a key frame and the last one of a segment."""
    for one in states:
        for segment in [*one.segments, one.open]:
            assert all(part.seconds <= one.part_target for part in segment.parts)
            unfinished = segment is one.open
            for part in segment.parts if unfinished else segment.parts[:-1]:
                assert part.is_independent or part.seconds >= 0.85 * one.part_target


def test_the_part_target_does_not_change(plain: list[ReadPlaylist], served: list[ReadPlaylist]) -> None:
    """4.4.3.7, 6.2.1."""
    assert len({one.part_target for one in plain}) == len({one.part_target for one in served}) == 1


def test_parts_with_a_key_frame_say_so(running: Running, reloaded: dict[str, list[ReadPlaylist]]) -> None:
    """4.4.4.9: INDEPENDENT."""
    for name, states in reloaded.items():
        segment = next(one for one in states[-1].segments if one.parts)
        media = (running.folder / name / str(segment.uri)).read_bytes()
        for part in segment.parts:
            fragments = parse_fragments(media[part.start : part.start + part.size])
            flags = [sample.flags for fragment in fragments for sample in fragment.samples]
            # sample_is_non_sync_sample, ISO/IEC 14496-12 section 8.8.3.1
            assert any(not flag & 0x10000 for flag in flags) == part.is_independent


def test_every_part_that_is_listed_can_be_had(running: Running, served: list[ReadPlaylist]) -> None:
    """6.2.1: what a playlist lists is available at once."""
    del served
    for name in TRACKS:
        state = read_playlist(running.get(f"{name}/media.m3u8"))
        number = state.last[0]
        segment = state.of(number)
        assert segment is not None
        part = segment.parts[-1]
        request = urllib.request.Request(f"{running.url}{name}/{part.uri}")
        request.add_header("range", f"bytes={part.start}-{part.start + part.size - 1}")
        with urllib.request.urlopen(request, timeout=30) as response:
            assert (response.status, len(response.read())) == (206, part.size)


def test_parts_are_listed_near_the_end_only(states: list[ReadPlaylist]) -> None:
    """6.2.2: of segments more than three target durations before the end they may go."""
    for one in states:
        behind = sum(part.seconds for part in one.open.parts)
        for segment in reversed(one.segments):
            assert bool(segment.parts) == (behind < 3 * one.target - 1e-4) or abs(behind - 3 * one.target) < 0.05
            behind += segment.seconds or 0


def test_the_hold_back_is_at_least_three_part_targets(states: list[ReadPlaylist]) -> None:
    """4.4.3.8: PART-HOLD-BACK must be two part targets of any rendition, and should be three."""
    longest = max(one.part_target for one in states)
    assert {float(one.control["PART-HOLD-BACK"]) for one in states} == {0.76}
    assert all(float(one.control["PART-HOLD-BACK"]) >= 3 * longest for one in states)


def test_only_a_server_that_holds_requests_says_so(
    written: dict[str, list[str]], reloaded: dict[str, list[ReadPlaylist]]
) -> None:
    """4.4.3.8, 4.4.5.3, B.1: from other web servers it is an ordinary playlist, which changes with each segment."""
    low_latency = {"EXT-X-PART", "EXT-X-PART-INF", "EXT-X-SERVER-CONTROL", "EXT-X-PRELOAD-HINT"}
    for name, texts in written.items():
        for text in texts:
            state = read_playlist(text)
            assert not {f"#{tag}" for tag in low_latency} & set(state.tags)
            assert not [part for segment in [*state.segments, state.open] for part in segment.parts]
            assert not state.reports
            assert state.open.date is None
        last = read_playlist(texts[-1]).segments[-1].number
        assert last - read_playlist(texts[0]).segments[-1].number < len(texts) - 1, name
    for one in (one for states in reloaded.values() for one in states):
        assert one.control["CAN-BLOCK-RELOAD"] == "YES"
        assert "#EXT-X-PRELOAD-HINT" in one.tags
        assert not [line for line in one.lines if line.startswith("#VOXEL")]


def test_delta_updates_go_back_six_target_durations_at_least(served: list[ReadPlaylist]) -> None:
    """4.4.3.8: CAN-SKIP-UNTIL."""
    assert all(float(one.control["CAN-SKIP-UNTIL"]) >= 6 * one.target for one in served)


def test_a_playlist_only_grows_at_its_end_and_shrinks_at_its_start(
    plain: list[ReadPlaylist], served: list[ReadPlaylist]
) -> None:
    """6.2.1: what is listed stays as it is, and the media sequence number counts what is removed."""
    for states in (plain, served):
        for before, after in pairwise(states):
            first = int(after.tags["#EXT-X-MEDIA-SEQUENCE"])
            assert first >= int(before.tags["#EXT-X-MEDIA-SEQUENCE"])
            assert after.last >= before.last
            for segment in before.segments:
                now = after.of(segment.number)
                if segment.number >= first:
                    assert now is not None
                    assert (now.uri, now.seconds, now.date) == (segment.uri, segment.seconds, segment.date)
            longer = after.of(before.open.number)
            assert longer is not None
            assert longer.parts[: len(before.open.parts)] == before.open.parts


def test_a_playlist_lasts_for_three_target_durations(states: list[ReadPlaylist]) -> None:
    """6.2.2: none is removed before."""
    for one in states:
        assert sum(segment.seconds or 0 for segment in one.segments) >= 3 * one.target


def test_a_segment_has_the_date_of_its_capture(states: list[ReadPlaylist]) -> None:
    """6.2.1: EXT-X-PROGRAM-DATE-TIME, in milliseconds, goes on as the durations do."""
    for one in states:
        for before, after in pairwise(one.segments):
            assert before.date is not None
            assert after.date is not None
            assert (after.date - before.date).total_seconds() == pytest.approx(before.seconds, abs=0.002)


def test_renditions_have_the_same_segments_at_the_same_time(reloaded: dict[str, list[ReadPlaylist]]) -> None:
    """6.2.4: matching content has matching times; numbers of segments are the same here, too."""
    dates = {one.number: one.date for one in reloaded["v0"][-1].segments}
    for name in ("v1", "a0"):
        both = [one for one in reloaded[name][-1].segments if one.number in dates]
        assert both
        for one in both:
            date = dates[one.number]
            assert one.date is not None
            assert date is not None
            assert abs((one.date - date).total_seconds()) <= (0 if name == "v1" else 1024 / 48_000 + 0.001)


def test_the_hint_is_what_comes_next(served: list[ReadPlaylist]) -> None:
    """4.4.5.3: the URI is that which is added to the playlist, where the part before has ended."""
    for before, after in pairwise(served):
        hint = attributes(before.tags["#EXT-X-PRELOAD-HINT"])
        assert (hint["TYPE"], set(hint)) == ("PART", {"TYPE", "URI", "BYTERANGE-START"})
        number, part = before.last
        listed = after.of(number)
        assert listed is not None
        following = after.of(number + 1)
        new = listed.parts[part + 1] if len(listed.parts) > part + 1 else following.parts[0] if following else None
        assert new is not None
        assert (hint["URI"], int(hint["BYTERANGE-START"])) == (new.uri, new.start)


def test_a_hinted_part_is_held_until_it_is_there(running: Running) -> None:
    """6.2.6: a request for it is answered when it is there."""
    state = read_playlist(running.get("v0/media.m3u8"))
    hint = attributes(state.tags["#EXT-X-PRELOAD-HINT"])
    request = urllib.request.Request(f"{running.url}v0/{hint['URI']}")
    request.add_header("range", f"bytes={hint['BYTERANGE-START']}-9007199254740991")
    with urllib.request.urlopen(request, timeout=30) as response:
        data = response.read()
    whole = (running.folder / "v0" / hint["URI"]).read_bytes()
    assert data == whole[int(hint["BYTERANGE-START"]) :]
    assert data


def test_every_other_rendition_is_reported(
    in_folder: dict[str, list[ReadPlaylist]], reloaded: dict[str, list[ReadPlaylist]]
) -> None:
    """4.4.5.4, B.1: relative addresses, the last segment with a part, and that part, as new as the playlist."""
    for tracks in (in_folder, reloaded):
        for name, states in tracks.items():
            for one in states:
                others = {f"../{other}/media.m3u8" for other in TRACKS if other != name}
                assert {report["URI"] for report in one.reports} == others
            for before, after in pairwise(states):
                for old, new in zip(before.reports, after.reports, strict=True):
                    assert _reported(new) >= _reported(old)
    for name, states in in_folder.items():
        # At the same time as the folder was looked at, but for the time of a look.
        seen = {_reported(report) for one in states for report in one.reports if "v1" in report["URI"]}
        assert name == "v1" or len(seen & {one.last for one in in_folder["v1"]}) > len(seen) // 2


def _reported(report: dict[str, str]) -> tuple[int, int]:
    return int(report["LAST-MSN"]), int(report["LAST-PART"])


def test_a_reload_waits_for_its_part_and_no_longer(served: list[ReadPlaylist]) -> None:
    """6.2.5.2: the playlist has the part that was asked for; where its segment has ended, the first of the next one."""
    for before, after in pairwise(served):
        assert after.last > before.last
    steps = sum(1 for before, after in pairwise(served) if after.last in (_next(before), (before.last[0] + 1, 0)))
    # A client that is slow on a busy machine finds more than it asked for.
    assert steps > RELOADS // 2


def _next(state: ReadPlaylist) -> tuple[int, int]:
    number, part = state.last
    return number, part + 1


def test_a_reload_for_a_segment_waits_for_all_of_it(running: Running) -> None:
    """6.2.5.2: _HLS_msn without _HLS_part."""
    number = read_playlist(running.get("v0/media.m3u8")).open.number
    assert read_playlist(running.get(f"v0/media.m3u8?_HLS_msn={number}")).segments[-1].number >= number


def test_what_is_far_ahead_is_refused(running: Running) -> None:
    """6.2.5.2: 400 for more than two segments ahead, or parts for longer than three seconds."""
    number = read_playlist(running.get("v0/media.m3u8")).segments[-1].number
    assert running.status(f"v0/media.m3u8?_HLS_msn={number + 9}") == 400
    assert running.status(f"v0/media.m3u8?_HLS_msn={number + 1}&_HLS_part=40") == 400
    assert running.status("v0/media.m3u8?_HLS_part=0") == 400


def test_a_delta_update_leaves_out_what_is_before_the_skip_boundary(running: Running) -> None:
    """6.2.5.1, 4.4.5.2: segments and their tags are replaced, all others stay as they are."""
    for name in TRACKS:
        delta = read_playlist(running.get(f"{name}/media.m3u8?_HLS_skip=YES"))
        full = read_playlist(running.get(f"{name}/media.m3u8"))
        while full.last != delta.last or not delta.skipped:
            delta = read_playlist(running.get(f"{name}/media.m3u8?_HLS_skip=YES"))
            full = read_playlist(running.get(f"{name}/media.m3u8"))
        place = next(place for place, line in enumerate(delta.lines) if line.startswith("#EXT-X-SKIP:"))
        assert delta.lines[:place] == full.lines[:place]
        rest = delta.lines[place + 1 :]
        assert full.lines[-len(rest) :] == rest
        left_out = full.lines[place : -len(rest)]
        assert sum(not line.startswith("#") for line in left_out) == delta.skipped
        behind = sum(one.seconds or 0 for one in delta.segments) + sum(part.seconds for part in delta.open.parts)
        assert behind >= float(full.control["CAN-SKIP-UNTIL"])
        assert delta.tags["#EXT-X-MEDIA-SEQUENCE"] == full.tags["#EXT-X-MEDIA-SEQUENCE"]


def test_ffmpeg_plays_it(running: Running) -> None:
    """A player without parts begins three segments before the end, and goes on."""
    with av.open(f"{running.url}{MULTIVARIANT}", timeout=30) as container:
        pictures = []
        for frame in container.decode(video=0):
            pictures.append(frame)
            if len(pictures) == 100:
                break
    assert len(pictures) == 100
    times = [frame.time or 0.0 for frame in pictures]
    assert all(after - before == pytest.approx(1 / 25, abs=1e-3) for before, after in pairwise(times))
