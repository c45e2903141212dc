"""`voxel-live` from outside: what it writes while it runs, when it is interrupted, and when it has ended."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event

import av
import pytest
from clips import ffmpeg, make_clip, make_clip_with_sound
from lxml import etree
from mpd_schema import check_mpd
from processes import call, wait_for
from sounds import decoded_sound, loudness
from unhurried import encode_unhurried
from voxel_prepare.analysis.decode import decode_samples
from voxel_prepare.analysis.encoded_segment import split_samples
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.cli import live
from voxel_prepare.codecs import codec_of
from voxel_prepare.inspect.described import read_described
from voxel_prepare.isobmff import SampleDefaults, parse_fragments, parse_track
from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.replay import Replay, releases
from voxel_prepare.live.state import LiveState
from voxel_prepare.manifest.existing import read_existing
from voxel_prepare.manifest.index_file import read_index
from voxel_prepare.manifest.live_records import Records

REPRESENTATIONS = "144p:0.1,240p:0.3"
COMMAND = [sys.executable, "-c", "from voxel_prepare.cli.live import main; main()"]


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """3.4 s with sound in MPEG-TS, for standard input: it ends."""
    folder = tmp_path_factory.mktemp("input")
    clip = make_clip_with_sound(folder / "clip.mp4", seconds=3.4)
    ffmpeg("-i", clip, "-vf", "scale=432:240", "-c:v", "libx264", "-c:a", "aac", folder / "clip.ts")
    return folder / "clip.ts"


@pytest.fixture(scope="module")
def ended(stream: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stream, encoded to its end in segments of half a second."""
    out = tmp_path_factory.mktemp("ended")
    with stream.open("rb") as pipe:
        arguments = ("-", "--out", out, "--representations", REPRESENTATIONS, "--segment", "0.64", "--keep")
        run = subprocess.run([*COMMAND, *map(str, arguments)], stdin=pipe, capture_output=True, text=True, check=False)
    assert (run.returncode, "delay from capture to record" in run.stderr) == (0, True), run.stderr
    return out


def track(out: Path, name: str) -> TrackFolder:
    return TrackFolder(out / name, record_head(1))


def records(out: Path, name: str) -> dict[int, Records]:
    return {number: track(out, name).records(number) for number in track(out, name).numbers()}


@pytest.mark.parametrize("name", ["v0", "v1", "a0"])
def test_segments_are_complete_and_follow_each_other(ended: Path, name: str) -> None:
    found = records(ended, name)
    assert list(found) == list(range(len(found)))
    assert len(found) >= 5
    time = 0
    for number, of_segment in found.items():
        assert of_segment.length == len(track(ended, name).media(number))
        for chunk in of_segment.chunks:
            assert chunk.decode_time == time
            time += chunk.duration


@pytest.mark.parametrize("name", ["v0", "v1"])
def test_every_sequence_of_chunks_can_be_decoded(ended: Path, name: str) -> None:
    """Every prefix of a segment, without any message of the decoder: the pictures of all its frames."""
    codec = codec_of(parse_track((ended / name / "init.mp4").read_bytes()).description)
    strict = {"err_detect": "explode"}
    for number, of_segment in records(ended, name).items():
        media = track(ended, name).media(number)
        for chunk in of_segment.chunks:
            samples = split_samples(media[: chunk.range.end], SampleDefaults())
            assert len(list(decode_samples(codec, enumerate(samples), strict))) == len(samples)


@pytest.mark.parametrize("name", ["v0", "v1"])
def test_other_players_show_the_first_picture_at_0_and_the_others_on_the_grid(
    ended: Path, name: str, tmp_path: Path
) -> None:
    init = (ended / name / "init.mp4").read_bytes()
    media = b"".join(track(ended, name).media(number) for number in track(ended, name).numbers())
    (tmp_path / "all.mp4").write_bytes(init + media)
    with av.open(str(tmp_path / "all.mp4")) as container:
        times = [frame.pts for frame in container.decode(video=0)]
    frame_ticks = parse_track(init).timescale // 25
    assert times == [place * frame_ticks for place in range(len(times))]
    samples = [sample for fragment in parse_fragments(media) for sample in fragment.samples]
    assert all(one.decode_time < other.decode_time for one, other in pairwise(samples))
    assert all(sample.composition_offset >= 0 for sample in samples)


def test_sound_can_be_decoded(ended: Path) -> None:
    frames = decoded_sound(ended / "a0")
    loud = loudness(frames)
    # A busy machine fills what comes too late, and both go on for longer.
    pictures = sum(chunk.duration for each in records(ended, "v0").values() for chunk in each.chunks)
    seconds = pictures / parse_track((ended / "v0" / "init.mp4").read_bytes()).timescale
    assert seconds >= 3.4
    assert len(loud) * 1024 / 48_000 == pytest.approx(seconds, abs=0.1)
    assert frames[0].pts == 0
    # And replaces what comes too late by silence; test_live_sound.py has the exact places.
    assert not any(loud[:80])
    assert 0 < loud.count(True) * 1024 / 48_000 < 1.5


def test_records_say_what_may_be_missing(ended: Path) -> None:
    """A busy machine may repeat pictures, so not every chunk loses by what is missing."""
    for of_segment in records(ended, "v1").values():
        frames = [frame for chunk in of_segment.chunks for frame in chunk.frames]
        assert len({frame.index for frame in frames}) == len(frames)
        assert 0 not in {frame.index for frame in frames}
        assert all(frame.cost >= 0 for frame in frames)
    scores = [
        (chunk.reliable_score, chunk.whole_score)
        for of_segment in records(ended, "v1").values()
        for chunk in of_segment.chunks
    ]
    assert all(0 < reliable <= whole < 100_000 for reliable, whole in scores)
    assert any(reliable < whole for reliable, whole in scores)


def test_sound_is_completely_reliable(ended: Path) -> None:
    for of_segment in records(ended, "a0").values():
        assert all(chunk.reliable == (chunk.range,) and not chunk.frames for chunk in of_segment.chunks)


def test_the_better_representation_has_the_better_score(ended: Path) -> None:
    low, high = (records(ended, name)[3].chunks[0] for name in ("v0", "v1"))
    assert low.whole_score < high.whole_score


def test_an_ended_stream_is_one_to_be_played_on_demand(ended: Path) -> None:
    check_mpd(ended / "manifest.mpd")
    assert [len(each.segments) for each in read_described(ended)] == [len(records(ended, "v0"))] * 2
    for name in ("v0", "v1"):
        (index,) = ended.glob(f"{name}.*.index")
        for number, segment in enumerate(read_index(index.read_bytes())):
            assert segment is not None
            assert segment.range == ByteRange(0, len(track(ended, name).media(number)))
            scores = [step.score for step in segment.steps]
            assert scores == sorted(scores)


def test_voxel_prepare_can_refine_an_ended_stream(ended: Path) -> None:
    existing = read_existing(ended / "manifest.mpd")
    low, high = (each.segment_frames for each in existing.representations)
    assert low == high
    assert low[:5] == [16] * 5


def test_what_follows_is_not_announced_after_the_end(ended: Path) -> None:
    assert all(path.stat().st_size > 0 for path in ended.glob("*/*"))


def test_the_default_ladder_begins_at_half_the_rate_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clip = make_clip(tmp_path / "clip.ts", size="426x240", seconds=0.6)
    encode_unhurried(clip, tmp_path / "out", representations=None, segment=0.25)
    state = LiveState.read(tmp_path / "out")
    assert state is not None
    assert [(one.height, one.bitrate) for one in state.representations] == [(240, 200_000), (240, 400_000)]
    said = "encoding 240p 0.2M  240p 0.4M: the first, at half the rate, is for links that fade"
    assert said in capsys.readouterr().err


@pytest.fixture
def running(clip: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The clip in a loop, and the command."""
    out = str(tmp_path / "out")
    command = [*COMMAND, str(clip), "--out", out, "--representations", "144p:0.1", "--segment", "0.64"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    yield process, command
    process.kill()
    process.wait()


def test_ctrl_c_ends_a_stream(running: tuple[subprocess.Popen[str], list[str]], tmp_path: Path) -> None:
    process, _ = running
    wait_for(lambda: (tmp_path / "out/v0/2.m4s").exists())
    check_mpd(tmp_path / "out/manifest.mpd")
    assert etree.parse(tmp_path / "out/manifest.mpd").getroot().get("type") == "dynamic"
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate()
    assert (process.returncode, "ending:" in messages) == (0, True), messages
    assert etree.parse(tmp_path / "out/manifest.mpd").getroot().get("type") == "static"
    assert all(of_segment.length for of_segment in records(tmp_path / "out", "v0").values())


def test_an_encoder_that_was_killed_goes_on_without_a_gap(
    running: tuple[subprocess.Popen[str], list[str]], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    process, command = running
    wait_for(lambda: (out / "v0/2.m4s").exists())
    process.kill()
    process.communicate()
    before = LiveState.read(out)
    assert before is not None
    first = {  # bytes that no record announces nobody has seen
        number: track(out, "v0").media(number)[: of_segment.chunks[-1].range.end]
        for number, of_segment in records(out, "v0").items()
        if of_segment.chunks
    }
    last = max(track(out, "v0").numbers())
    again = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: (out / f"v0/{last + 4}.m4s").exists() or again.poll() is not None)
    again.send_signal(signal.SIGINT)
    _, messages = again.communicate()
    assert (again.returncode, "going on with the presentation" in messages) == (0, True), messages
    assert LiveState.read(out) == replace(before, is_ended=True)
    time = 0
    for number, of_segment in records(out, "v0").items():
        assert of_segment.length == len(track(out, "v0").media(number))
        for chunk in of_segment.chunks:
            assert chunk.decode_time == time
            time += chunk.duration
    assert {number: track(out, "v0").media(number)[: len(data)] for number, data in first.items()} == first


def test_other_settings_start_a_new_presentation_after_the_old_numbers(
    ended: Path, stream: Path, tmp_path: Path
) -> None:
    """Caches keep what they know of a number."""
    out = tmp_path / "again"
    shutil.copytree(ended, out)
    with stream.open("rb") as pipe:
        arguments = ("-", "--out", out, "--representations", "144p:0.1", "--segment", "0.64", "--keep")
        subprocess.run([*COMMAND, *map(str, arguments)], stdin=pipe, capture_output=True, check=True)
    state = LiveState.read(out)
    assert state is not None
    assert state.timeline.first_number == len(records(ended, "v0"))
    assert {path.name: path.read_bytes() for path in (ended / "v0").glob("*.vxl")}.items() <= {
        path.name: path.read_bytes() for path in (out / "v0").glob("*.vxl")
    }.items()
    assert len(read_described(out)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.mp4"], "none.mp4: no such file"),
        (["."], ".: expected a file"),
        ([__file__], "cannot be opened"),
        (["srt://127.0.0.1:1"], "lacks this protocol"),
        (["{clip}", "--representations", "99p:1"], "--representations: the size must be one of"),
        (["{clip}", "--representations", "2160p:1"], "--representations: 2160p is larger than the source"),
        (["{clip}", "--chunk", "20"], "--chunk: a segment of 25 frames must have at least 4 chunks"),
        (["{clip}", "--segment", "0.1"], "--segment"),
    ],
)
def test_bad_input_is_one_line(clip: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    given = [argument.format(clip=clip) for argument in arguments]
    run = call(*given, "--out", tmp_path / "out", main=live.main)
    assert run.returncode == 2
    assert message in run.stderr
    assert run.stderr.count("\n") == 1


def test_the_earlier_name_of_an_option_works_and_is_said_to_go(clip: Path, tmp_path: Path) -> None:
    run = call(clip, "--levels", "99p:1", "--out", tmp_path / "out", main=live.main)
    note, error = run.stderr.splitlines()
    assert note == "voxel-live: --levels is now --representations, and goes with the next release"
    assert "the size must be one of" in error


def test_a_replay_has_the_same_media_at_new_times(ended: Path, tmp_path: Path) -> None:
    out = tmp_path / "replayed"
    run = call(ended, "--replay", "--out", out, main=live.main)
    assert run.returncode == 0, run.stderr
    check_mpd(out / "manifest.mpd")
    before, after = LiveState.read(ended), LiveState.read(out)
    assert before is not None
    assert after is not None
    shift = after.timeline.availability_start - before.timeline.availability_start
    assert shift > 0
    for name in ("v0", "v1", "a0"):
        for number, of_segment in records(ended, name).items():
            again = track(out, name).records(number)
            moved = [replace(chunk, captured=chunk.captured + shift) for chunk in of_segment.chunks]
            assert moved == list(again.chunks)
            old, new = (split_samples(track(each, name).media(number), SampleDefaults()) for each in (ended, out))
            assert old == new
    run = call(ended, "--replay", "--out", out, main=live.main)
    assert (run.returncode, "needs an empty folder" in run.stderr) == (2, True)


def test_a_segment_without_sound_is_not_replayed(ended: Path, tmp_path: Path) -> None:
    """An encoder was killed before it had written that."""
    out = tmp_path / "killed"
    shutil.copytree(ended, out)
    last = max(track(out, "v0").numbers())
    for path in (out / "a0").glob(f"{last}.*"):
        path.unlink()
    state = LiveState.read(out)
    assert state is not None
    assert {release.number for release in releases(out, state)} == set(range(last))


class HaltingClock(WallClock):
    """Two seconds go by at once, as for a program whose processor others have."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def now(self) -> float:
        self._calls += 1
        return super().now() + (2000 if self._calls > 20 else 0)


def test_a_replay_says_how_late_it_is(ended: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Replay(ended, tmp_path, 1.0, 30.0, HaltingClock()).run(Event())
    late = [int(found) for found in re.findall(r"a chunk was (\d+) ms late", capsys.readouterr().err)]
    assert late == sorted(set(late))
    assert late[-1] > 1000


def test_only_a_recorded_stream_can_be_replayed(tmp_path: Path) -> None:
    run = call(tmp_path, "--replay", "--out", tmp_path / "out", main=live.main)
    assert (run.returncode, "found no live.json" in run.stderr) == (2, True)
