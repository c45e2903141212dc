"""`voxel-live --ingest` from outside: real ladders that FFmpeg sends over HTTP, and what becomes of them."""

import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from urllib.parse import urlsplit

import av
import pytest
from clips import ffmpeg
from ingested import Sender, chunked, head
from processes import wait_for
from published import check_published, records_of
from test_copied_streams import COMMAND, PATIENT, RATE, SECONDS, make_streams, samples, sent, shown
from voxel_prepare.ffmpeg import ffmpeg_program
from voxel_prepare.isobmff import parse_fragments, parse_track
from voxel_prepare.live.copied.aac import read_adts
from voxel_prepare.manifest.index_file import read_index

TOKEN = "a-token-of-the-test"
TRACKS = ["v0", "v1"]
PROGRAMS = sorted({shutil.which("ffmpeg") or ffmpeg_program(), ffmpeg_program()})
"""That of the system, and that of the package: years apart."""
COPY = ("-c", "copy", "-tag:v", "avc1", "-tag:a", "mp4a")
"""FFmpeg's dash muxer takes no tags of MPEG-TS."""
ESTABLISHED, CLOSE_WAIT = "01", "08"
"""States of connections, as Linux writes them in /proc/net/tcp."""
FRAGMENTS = "frag_every_frame+empty_moov+default_base_moof+delay_moov"


class Ingest:
    """`voxel-live --ingest` as a process."""

    def __init__(self, out: Path, *options: str) -> None:
        self.out = out
        words = [*COMMAND, "--ingest", "127.0.0.1:0", "--out", str(out), "--keep", *PATIENT, *options]
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        self._first = self._process.stderr.readline()
        self.url = self._first.split()[-1] + "live/"

    def is_read(self) -> bool:
        """All that encoders sent before they went has been read: the system has no connection of theirs any more."""
        port = urlsplit(self.url).port
        rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return not any(int(row[1].split(":")[1], 16) == port and row[3] in {ESTABLISHED, CLOSE_WAIT} for row in rows)

    def end(self) -> str:
        """Ctrl-C; what was said."""
        self._process.send_signal(signal.SIGINT)
        _, said = self._process.communicate(timeout=60)
        assert self._process.returncode == 0, said
        return said

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


def push(program: str, streams: Sequence[Path], *output: str) -> subprocess.Popen[bytes]:
    """Sends a ladder in real time, whose first stream has the sound."""
    inputs = [word for path in streams for word in ("-re", "-i", str(path))]
    return subprocess.Popen([program, "-nostdin", "-v", "error", "-copyts", *inputs, *output])


def dash(url: str, *options: str) -> list[str]:
    """A request for each segment and track, a chunk for each frame."""
    maps = ["-map", "0:v", "-map", "1:v", "-map", "0:a", *COPY]
    return [*maps, *("-f", "dash", "-method", "PUT", "-streaming", "1", "-seg_duration", "1", *options, f"{url}a.mpd")]


def mp4(url: str, *options: str) -> list[str]:
    """A long request for each track."""
    form = (*COPY, "-bsf:a", "aac_adtstoasc", "-f", "mp4", "-movflags", FRAGMENTS, *options)
    maps = {"low.cmfv": "0:v", "high.cmfv": "1:v", "sound.cmfa": "0:a"}
    return [word for name, track in maps.items() for word in ("-map", track, *form, f"{url}{name}?token={TOKEN}")]


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_streams(tmp_path_factory.mktemp("streams"))[: len(TRACKS)]


def sent_sound(path: Path) -> list[tuple[Fraction, bytes]]:
    """When each frame is heard, in seconds, and what it is without its header."""
    with av.open(str(path)) as container:
        packets = [packet for packet in container.demux(container.streams.audio[0]) if packet.pts is not None]
        found = [(Fraction(packet.pts or 0) * Fraction(packet.time_base), bytes(packet)) for packet in packets]
    frames = [(time, read_adts(data)) for time, data in found]
    return [(time, frame[1]) for time, frame in frames if frame is not None]


WAYS: dict[str, tuple[Callable[..., list[str]], tuple[str, ...]]] = {
    "a request a segment": (dash, ("-http_opts", f"headers=Authorization\\: Bearer {TOKEN}")),
    "on connections that stay": (
        dash,
        ("-http_persistent", "1", "-http_opts", f"headers=Authorization\\: Bearer {TOKEN}"),
    ),
    "a request a track": (mp4, ()),
}


@pytest.fixture(scope="module", params=[(program, way) for program in PROGRAMS for way in WAYS])
def copied(request: pytest.FixtureRequest, streams: Sequence[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    program, way = request.param
    words, options = WAYS[way]
    ingest = Ingest(tmp_path_factory.mktemp("copied") / "out", "--ingest-token", TOKEN)
    encoder = push(program, streams, *words(ingest.url, *options))
    assert encoder.wait(60) == 0
    # On a busy machine its last pictures are still on their way then.
    wait_for(ingest.is_read)
    said = ingest.end()
    assert "in segments of 1 s" in said
    assert "broke off" not in said
    return ingest.out


@pytest.mark.parametrize("name", [*TRACKS, "a0"])
def test_what_is_published_follows_without_a_gap_and_decodes_strictly(copied: Path, name: str) -> None:
    check_published(copied / name)
    assert list(records_of(copied / name))[:SECONDS] == list(range(SECONDS))


def test_every_access_unit_is_as_it_was_sent(streams: Sequence[Path], copied: Path) -> None:
    for stream, name in zip(streams, TRACKS, strict=True):
        packets = sent(stream)
        assert [data for _, data in samples(copied / name)][: len(packets)] == [data for _, data in packets]


def test_pictures_are_shown_at_the_times_of_their_sender(streams: Sequence[Path], copied: Path) -> None:
    for stream, name in zip(streams, TRACKS, strict=True):
        times = [time for time, _ in sent(stream)]
        assert shown(copied / name)[: len(times)] == [time - times[0] for time in times]


def test_segments_of_all_representations_begin_with_the_key_frame_of_one_picture(copied: Path) -> None:
    for name in TRACKS:
        first = [parse_fragments((copied / name / f"{number}.m4s").read_bytes())[0] for number in range(SECONDS)]
        assert all(fragment.samples[0].is_sync for fragment in first)
        assert [one.samples[0].presentation_time for one in first] == [90_000 * number for number in range(SECONDS)]


def test_sound_is_as_far_from_the_pictures_as_it_was_sent(streams: Sequence[Path], copied: Path) -> None:
    pictures = sent(streams[0])[0][0]
    # On connections that stay FFmpeg never sends the last frames.
    wanted = {data: time - pictures for time, data in sent_sound(streams[0])[:-4] if time >= pictures}
    found = {data: time for (_, data), time in zip(samples(copied / "a0"), shown(copied / "a0"), strict=True)}
    missing = [place for place, data in enumerate(wanted) if data not in found]
    assert not missing, f"{missing} of {len(wanted)}"
    for data, at in wanted.items():
        assert abs(found[data] - at) < Fraction(1, 1000)


def test_it_ends_as_one_to_be_played_on_demand(copied: Path) -> None:
    indexes = list(copied.glob("v*.index"))
    assert len(indexes) == len(TRACKS)
    assert all(len(read_index(index.read_bytes())) >= SECONDS for index in indexes)


def test_an_encoder_that_is_killed_and_comes_back_goes_on(
    streams: Sequence[Path], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    others = make_streams(tmp_path, "-vf", "negate")[: len(TRACKS)]
    ingest = Ingest(tmp_path / "out")
    request.addfinalizer(ingest.kill)
    first = push(PROGRAMS[0], streams, *dash(ingest.url))
    wait_for(lambda: all(len(records_of(ingest.out / name)) > 1 for name in TRACKS))
    first.kill()
    first.wait()
    written = len(records_of(ingest.out / "v0"))
    wait_for(lambda: len(records_of(ingest.out / "v0")) > written + 2)
    assert push(PROGRAMS[0], others, *dash(ingest.url)).wait(60) == 0
    last = [sent(stream)[-1][1] for stream in others]
    for name, data in zip(TRACKS, last, strict=True):
        wait_for(lambda name=name, data=data: any(one == data for _, one in samples(ingest.out / name)))  # type: ignore[misc]
    ingest.end()
    starts = set()
    for name, stream in zip(TRACKS, others, strict=True):
        check_published(ingest.out / name)
        found, wanted = samples(ingest.out / name), sent(stream)
        again = next(place for place, (_, data) in enumerate(found) if data == wanted[0][1])
        came = found[again : again + len(wanted)]
        assert [data for _, data in came] == [data for _, data in wanted]
        starts.add(came[0][0].presentation_time)
    assert len(starts) == 1
    assert starts.pop() % 90_000 == 0


def test_a_track_whose_connection_is_dropped_in_a_chunk_comes_back(
    streams: Sequence[Path], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Sent by hand: FFmpeg ends where others connect again and send the segment once more."""
    ingest = Ingest(tmp_path / "out")
    request.addfinalizer(ingest.kill)
    port = ingest.url.split("/")[2].rpartition(":")[2]
    fragments = {}
    for name, stream in zip(("low", "high"), streams, strict=True):
        path = tmp_path / f"{name}.mp4"
        ffmpeg("-i", stream, "-map", "0:v", "-c", "copy", "-f", "mp4", "-movflags", FRAGMENTS, path)
        data = path.read_bytes()
        track = parse_track(data)
        fragments[name] = track.init, [data[one.moof_start : one.end] for one in track.fragments]
    cut = 2 * RATE + 7  # in the third segment
    senders = {name: Sender(int(port)) for name in fragments}
    for name, (init, _) in fragments.items():
        senders[name].send(head(f"/live/{name}.cmfv", "Transfer-Encoding: chunked", method="POST") + chunked(init))
    began = time.monotonic()
    for number in range(SECONDS * RATE):
        time.sleep(max(0, began + number / RATE - time.monotonic()))
        for name, (init, media) in fragments.items():
            data = chunked(media[number])
            if name == "high" and number == cut:
                senders[name].send(data[: len(data) // 2]).drop()
                senders[name] = Sender(int(port))
                again = head(f"/live/{name}.cmfv", "Transfer-Encoding: chunked", method="POST")
                senders[name].send(again + chunked(init, *media[2 * RATE : number + 1]))
            else:
                senders[name].send(data)
    for sender in senders.values():
        assert sender.send(b"0\r\n\r\n").answer() == 200
    assert "ingest: live/high: the connection broke off" in ingest.end()
    for name, stream in zip(TRACKS, streams, strict=True):
        check_published(ingest.out / name)
        packets = sent(stream)
        assert [data for _, data in samples(ingest.out / name)][: len(packets)] == [data for _, data in packets]


def test_a_track_that_cannot_be_copied_is_said_in_a_line_and_the_others_go_on(
    streams: Sequence[Path], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    ingest = Ingest(tmp_path / "out")
    request.addfinalizer(ingest.kill)
    mixed = ("-map", "0:v", "-map", "1:v", "-c:v:0", "copy", "-tag:v:0", "avc1", "-c:v:1", "mpeg4", "-s:v:1", "160x90")
    words = (*mixed, *("-f", "dash", "-method", "PUT", "-streaming", "1", "-seg_duration", "1"), f"{ingest.url}a.mpd")
    assert push(PROGRAMS[0], streams, *words).wait(60) == 0
    said = ingest.end()
    assert said.count("live/stream1: expected H.264 to be copied, found mp4v") == 1
    assert [data for _, data in samples(ingest.out / "v0")][: SECONDS * RATE] == [data for _, data in sent(streams[0])]
