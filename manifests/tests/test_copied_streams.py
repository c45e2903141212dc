"""`voxel-live --copy` from outside: real streams of x264 with B frames, and what becomes of them."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from threading import Event

import av
import pytest
from clips import ffmpeg
from processes import wait_for
from published import check_published, records_of
from voxel_prepare.annex_b import to_sample
from voxel_prepare.isobmff import Sample, parse_fragments, parse_track
from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.copied.demux import Demuxer
from voxel_prepare.live.copied.notes import Gone, Note
from voxel_prepare.manifest.index_file import read_index

COMMAND = [sys.executable, "-c", "from voxel_prepare.cli.live import main; main()"]
SIZES = {"160x90": "100k", "256x144": "250k", "320x180": "450k"}
TRACKS = [f"v{number}" for number in range(len(SIZES))]
PATIENT = ("--latency", "10")
"""What comes later than a share of the latency is left out, and stood in for; a busy machine sends late."""
RATE = 30
SECONDS = 6
WRAP_SECONDS = Fraction(1 << 33, 90_000)


def make_streams(folder: Path, *options: str, rate: str = str(RATE)) -> list[Path]:
    """A ladder in MPEG-TS, with a key frame each second; the first has the sound."""
    paths: list[Path] = []
    for number, (size, bitrate) in enumerate(SIZES.items()):
        tone = f"sine=frequency=440:sample_rate=48000:duration={SECONDS}"
        sound = ["-f", "lavfi", "-i", tone] if number == 0 else []
        coded = ("-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", str(RATE), "-sc_threshold", "0")
        paths.append(folder / f"{number}.ts")
        ffmpeg(
            *("-f", "lavfi", "-i", f"testsrc2=size={size}:rate={rate}:duration={SECONDS}"),
            *[*sound, *coded, "-b:v", bitrate, "-c:a", "aac", *options, "-f", "mpegts"],
            paths[-1],
        )
    return paths


def start(out: Path, *arguments: str | Path) -> subprocess.Popen[str]:
    words = ["--copy", *map(str, arguments), "--out", str(out), "--keep", *PATIENT]
    return subprocess.Popen([*COMMAND, *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def copy(out: Path, *arguments: str | Path) -> str:
    """Copies files to their ends; what was said."""
    process = start(out, *arguments)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    return said


def samples(track: Path) -> list[tuple[Sample, bytes]]:
    """All of a track in decode order."""
    found: list[tuple[Sample, bytes]] = []
    for number in records_of(track):
        data = (track / f"{number}.m4s").read_bytes()
        for fragment in parse_fragments(data):
            found += [(one, data[one.offset : one.offset + one.size]) for one in fragment.samples]
    return found


def sent(path: Path, kind: str = "video") -> list[tuple[Fraction, bytes]]:
    """When each packet is shown, in seconds, and its sample."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0] if kind == "video" else container.streams.audio[0]
        packets = [packet for packet in container.demux(stream) if packet.pts is not None]
        return [
            (Fraction(packet.pts or 0) * Fraction(packet.time_base), to_sample(bytes(packet))) for packet in packets
        ]


def shown(track: Path) -> list[Fraction]:
    timescale = parse_track((track / "init.mp4").read_bytes()).timescale
    return [Fraction(one.presentation_time, timescale) for one, _ in samples(track)]


def began(track: Path) -> bool:
    return any(records_of(track))


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The clock of the sender wraps after three seconds."""
    offset = float(WRAP_SECONDS) - 3 - 1.4  # the muxer adds 1.4 s
    return make_streams(tmp_path_factory.mktemp("streams"), "-output_ts_offset", f"{offset:.3f}")


@pytest.fixture(scope="module")
def copied(streams: Sequence[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("copied")
    said = copy(out, *streams)
    assert "in segments of 1 s" in said
    return out


@pytest.mark.parametrize("name", [*TRACKS, "a0"])
def test_what_is_published_follows_without_a_gap_and_decodes_strictly(copied: Path, name: str) -> None:
    check_published(copied / name)
    assert list(records_of(copied / name)) == list(range(SECONDS))


@pytest.mark.parametrize("number", range(len(SIZES)))
def test_every_access_unit_is_as_it_was_sent(streams: Sequence[Path], copied: Path, number: int) -> None:
    assert [data for _, data in samples(copied / f"v{number}")] == [data for _, data in sent(streams[number])]


@pytest.mark.parametrize("number", range(len(SIZES)))
def test_times_go_on_where_the_clock_of_the_sender_wraps(streams: Sequence[Path], copied: Path, number: int) -> None:
    times = [time for time, _ in sent(streams[number])]
    assert shown(copied / f"v{number}") == [round((time - times[0]) * 90_000) / Fraction(90_000) for time in times]


def test_segments_of_all_representations_begin_with_the_key_frame_of_one_picture(copied: Path) -> None:
    starts = set()
    for name in TRACKS:
        first = [parse_fragments((copied / name / f"{number}.m4s").read_bytes())[0] for number in range(SECONDS)]
        assert all(fragment.samples[0].is_sync for fragment in first)
        starts.add(tuple(fragment.samples[0].presentation_time for fragment in first))
    assert starts == {tuple(90_000 * number for number in range(SECONDS))}


def test_sound_is_as_far_from_the_pictures_as_it_was_sent(streams: Sequence[Path], copied: Path) -> None:
    pictures, sound = sent(streams[0])[0][0], [time for time, _ in sent(streams[0], "audio")]
    heard = shown(copied / "a0")
    first = next(place for place, time in enumerate(sound) if time - pictures >= -Fraction(1, 48_000))
    assert len(heard) == len(sound) - first
    for place, time in enumerate(heard):
        assert abs(time - (sound[first + place] - pictures)) < Fraction(1, 1000)


def test_frames_that_no_other_needs_may_be_missing_and_come_last(copied: Path) -> None:
    for records in records_of(copied / "v2").values():
        frames = [frame for chunk in records.chunks for frame in chunk.frames]
        assert len(frames) == RATE - 1  # all but the key frame
        assert all(frame.cost > 0 for frame in frames)
        reliable = sum(range_.size for chunk in records.chunks for range_ in chunk.reliable)
        assert reliable < 0.7 * (records.length or 0)


def test_it_ends_as_one_to_be_played_on_demand(copied: Path) -> None:
    indexes = list(copied.glob("v*.index"))
    assert len(indexes) == len(SIZES)
    for index in indexes:
        assert len(read_index(index.read_bytes())) == SECONDS


def test_times_of_29_97_pictures_a_second_are_kept(tmp_path: Path) -> None:
    (stream, *_) = make_streams(tmp_path, rate="30000/1001")
    said = copy(tmp_path / "out", stream)
    assert "in segments of 1 s" in said
    assert 'frameRate="30000/1001"' in (tmp_path / "out" / "manifest.mpd").read_text()
    check_published(tmp_path / "out" / "v0")
    times = [time for time, _ in sent(stream)]
    assert shown(tmp_path / "out" / "v0") == [time - times[0] for time in times]


def test_one_input_may_have_all_representations(streams: Sequence[Path], tmp_path: Path) -> None:
    whole = tmp_path / "whole.ts"
    inputs = [word for path in streams for word in ("-i", str(path))]
    maps = ("-map", "0", "-map", "1:v", "-map", "2:v")
    ffmpeg("-copyts", *inputs, *maps, "-c", "copy", "-muxdelay", "0", "-f", "mpegts", whole)
    copy(tmp_path / "out", whole)
    for number, name in enumerate(TRACKS):
        check_published(tmp_path / "out" / name)
        assert [data for _, data in samples(tmp_path / "out" / name)] == [data for _, data in sent(streams[number])]


def test_flv_is_copied_too_with_its_times_in_milliseconds(tmp_path: Path) -> None:
    (stream, *_) = make_streams(tmp_path)
    ffmpeg("-i", stream, "-c", "copy", "-bsf:a", "aac_adtstoasc", tmp_path / "in.flv")
    copy(tmp_path / "out", tmp_path / "in.flv")
    for name in ("v0", "a0"):
        check_published(tmp_path / "out" / name)
    assert len(samples(tmp_path / "out" / "v0")) == SECONDS * RATE


def push(path: Path, pipe: Path, *options: str) -> subprocess.Popen[bytes]:
    """Sends a file in real time."""
    words = ("-re", *options, "-i", str(path), "-c", "copy", "-copyts", "-f", "mpegts", "-y", str(pipe))
    return subprocess.Popen([shutil.which("ffmpeg") or "ffmpeg", "-nostdin", "-v", "error", *words])


def test_an_encoder_that_is_killed_and_comes_back_goes_on(tmp_path: Path) -> None:
    streams = make_streams(tmp_path)
    pipes = [tmp_path / f"{number}.pipe" for number in range(len(streams))]
    for pipe in pipes:
        os.mkfifo(pipe)
    out = tmp_path / "out"
    process = start(out, *pipes)
    first = [push(path, pipe) for path, pipe in zip(streams, pipes, strict=True)]
    wait_for(lambda: began(out / "v0"))
    for one in first:
        one.kill()
        one.wait()
    written = len(records_of(out / "v0"))
    wait_for(lambda: len(records_of(out / "v0")) > written + 2)
    second = [push(path, pipe) for path, pipe in zip(streams, pipes, strict=True)]
    for one in second:
        assert one.wait(60) == 0
    last = sent(streams[-1])[-1][1]
    wait_for(lambda: any(data == last for _, data in samples(out / TRACKS[-1])[-RATE * 2 :]))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    for name in [*TRACKS, "a0"]:
        check_published(out / name)
    starts = []
    for number, name in enumerate(TRACKS):
        found = samples(out / name)
        stills = [one for one, _ in found if one.duration == 90_000]
        assert stills
        # What was sent again is there whole, from a cut on, at the times of its sender.
        wanted = sent(streams[number])
        again = max(place for place, (_, data) in enumerate(found) if data == wanted[0][1])
        came = found[again : again + len(wanted)]
        assert [data for _, data in came] == [data for _, data in wanted]
        base = came[0][0].presentation_time
        assert base % 90_000 == 0
        assert [one.presentation_time - base for one, _ in came] == [
            round((time - wanted[0][0]) * 90_000) for time, _ in wanted
        ]
        starts.append(base)
    assert len(set(starts)) == 1


def test_an_input_that_stays_away_leaves_the_others_alone(tmp_path: Path) -> None:
    streams = make_streams(tmp_path)
    pipes = [tmp_path / f"{number}.pipe" for number in range(2)]
    for pipe in pipes:
        os.mkfifo(pipe)
    out = tmp_path / "out"
    process = start(out, *pipes)
    pushed = [push(path, pipe, "-stream_loop", "-1") for path, pipe in zip(streams, pipes, strict=False)]
    manifest = out / "manifest.mpd"
    wait_for(lambda: manifest.exists() and 'id="v1"' in manifest.read_text())
    pushed[1].kill()
    wait_for(lambda: 'id="v1"' not in manifest.read_text())
    assert 'id="v0"' in manifest.read_text()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    for one in pushed:
        one.kill()
        one.wait()
    assert process.returncode == 0, said
    check_published(out / "v0")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-c:v", "mpeg2video", "-bf", "0"), "expected H.264 to be copied, found mpeg2video"),
        (("-x264-params", "open-gop=1"), "expected H.264 with two IDR pictures, found none"),
    ],
)
def test_what_cannot_be_copied_is_said_in_a_line(tmp_path: Path, options: Sequence[str], said: str) -> None:
    (stream, *_) = make_streams(tmp_path, *options)
    process = start(tmp_path / "out", stream)
    _, found = process.communicate(timeout=60)
    assert process.returncode == 2
    assert said in found.splitlines()[-1]


@pytest.mark.parametrize(
    ("at", "listening"), [(":{port}/live/low", "0.0.0.0:{port}/live/low"), (":{port}", "0.0.0.0:{port}")]
)
def test_rtmp_where_nobody_listens_says_which_address_waits_for_encoders(at: str, listening: str) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    notes: list[Note] = []
    stop = Event()
    Demuxer(0, "rtmp://127.0.0.1" + at.format(port=port), WallClock(), notes.append, stop).start()
    wait_for(lambda: bool(notes))
    stop.set()
    said = f"Connection refused; rtmp://{listening.format(port=port)} waits for an encoder that connects"
    assert notes[0].content == Gone(said, is_final=False)
