"""`voxel-live` goes on, in sync, with a source whose codecs and formats change on the way."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pytest
from clips import ffmpeg
from flash_and_tone import FLASH_FRAME, RATE, Moments, moments, prepared_moments
from hypothesis import given
from hypothesis import strategies as st
from unhurried import encode_unhurried, joined
from voxel_prepare.live.programs import PACKET, Parts

SECONDS = 2
FIRST_SECONDS = 1

H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", str(RATE))
AAC = ("-c:a", "aac", "-b:a", "128k")


def make_part(
    path: Path,
    *,
    video: Sequence[str] = H264,
    audio: Sequence[str] | None = AAC,
    seconds: float = SECONDS,
    rate: int = RATE,
    options: Sequence[str] = (),
) -> Path:
    """Black and silence, with a white picture and the begin of a tone at one moment if it is that long."""
    at = FLASH_FRAME / RATE
    white = rf"drawbox=color=white:t=fill:enable=between(t\,{at}\,{at + 0.1})"
    picture = f"color=black:size=320x180:rate={rate}:duration={seconds},{white}"
    sound = rf"aevalsrc=gte(t\,{at})*sin(6000*t):sample_rate=48000:duration={seconds}"
    inputs = ["-f", "lavfi", "-i", picture, *(("-f", "lavfi", "-i", sound) if audio else ())]
    pixels = () if "-pix_fmt" in video else ("-pix_fmt", "yuv420p")
    ffmpeg(*inputs, *video, *pixels, *(audio or ()), *options, path)
    return path


CHANGES: dict[str, dict[str, object]] = {
    "profile": {"video": (*H264, "-profile:v", "baseline", "-bf", "0")},
    "4:2:2": {"video": (*H264, "-pix_fmt", "yuv422p")},
    "10 bit": {"video": (*H264, "-pix_fmt", "yuv420p10le")},
    "4:4:4": {"video": (*H264, "-pix_fmt", "yuv444p")},
    "full range": {"video": (*H264, "-pix_fmt", "yuvj420p")},
    "rate": {"rate": 2 * RATE},
    "sound of another rate": {"audio": (*AAC, "-ar", "44100")},
    "mono": {"audio": (*AAC, "-ac", "1")},
    "six channels": {"audio": (*AAC, "-ac", "6")},
    "another codec of sound": {"audio": ("-c:a", "mp2")},
    "HEVC": {"video": ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none")},
    "MPEG-2": {"video": ("-c:v", "mpeg2video", "-b:v", "1M")},
    "other PIDs": {"options": ("-mpegts_start_pid", "0x200")},
    "HEVC with other PIDs": {
        "video": ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"),
        "options": ("-mpegts_start_pid", "0x200"),
    },
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("way", ["file", "pipe"])
def test_the_tone_comes_with_the_flash_after_a_change(change: str, way: str, tmp_path: Path) -> None:
    before = make_part(tmp_path / "before.ts", seconds=FIRST_SECONDS)
    after = make_part(tmp_path / "after.ts", **CHANGES[change])  # type: ignore[arg-type]
    found = encoded([before, after], way, tmp_path)
    # The tone of another codec or rate is found a little earlier or later in the source, too.
    assert found.late == pytest.approx(moments(after).late, abs=0.03 if change == "rate" else 0.01)
    assert found.flash == pytest.approx(FIRST_SECONDS + FLASH_FRAME / RATE, abs=0.2)


def encoded(parts: Sequence[Path], way: str, folder: Path) -> Moments:
    whole = folder / "whole.ts"
    whole.write_bytes(b"".join(part.read_bytes() for part in parts))
    out = folder / "out"
    encode_unhurried(whole, out, seconds=FIRST_SECONDS * len(parts) + SECONDS if way == "file" else None)
    return prepared_moments(joined(out / "v0"), joined(out / "a0"))


def test_sound_may_vanish_and_come_back(tmp_path: Path) -> None:
    first = make_part(tmp_path / "first.ts", seconds=FIRST_SECONDS)
    silent = make_part(tmp_path / "silent.ts", seconds=FIRST_SECONDS, audio=None)
    last = make_part(tmp_path / "last.ts")
    found = encoded([first, silent, last], "pipe", tmp_path)
    assert found.late == pytest.approx(moments(last).late, abs=0.01)


def test_sound_that_comes_later_is_left_out_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    silent = make_part(tmp_path / "silent.ts", seconds=FIRST_SECONDS, audio=None)
    last = make_part(tmp_path / "last.ts")
    whole = tmp_path / "whole.ts"
    whole.write_bytes(silent.read_bytes() + last.read_bytes())
    encode_unhurried(whole, tmp_path / "out")
    assert not (tmp_path / "out/a0").exists()
    assert "sound" in capsys.readouterr().err


def parts_of(data: bytes, size: int) -> list[bytes]:
    """What is read part by part, by up to `size` bytes at once."""
    parts = Parts(BytesIO(data))
    found: list[bytes] = []
    while True:
        whole = b""
        while piece := parts.read(size):
            whole += piece
        found.append(whole)
        if parts.has_ended:
            return found
        parts.begin()


@given(st.binary(max_size=3000), st.integers(1, 4000))
def test_what_is_no_transport_stream_is_one_part(data: bytes, size: int) -> None:
    assert parts_of(data, size) == [data]


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Streams with other tracks."""
    folder = tmp_path_factory.mktemp("streams")
    hevc = make_part(folder / "hevc.ts", **CHANGES["HEVC"])  # type: ignore[arg-type]
    return make_part(folder / "h264.ts").read_bytes(), hevc.read_bytes()


@pytest.mark.parametrize("size", [1, PACKET, 5000, 1 << 16])
@pytest.mark.parametrize("torn", [0, 50])
def test_a_transport_stream_is_cut_where_its_tracks_change_and_nowhere_else(
    streams: tuple[bytes, bytes], size: int, torn: int
) -> None:
    """`torn`: so many bytes are missing at the end of the first."""
    h264, hevc = streams[0][: len(streams[0]) - torn], streams[1]
    assert parts_of(h264 + h264, size) == [h264 + h264]
    first, second = parts_of(h264 + hevc, size)
    assert first + second[PACKET:] == h264 + hevc
    assert len(h264) <= len(first) <= len(h264) + 3 * PACKET
    assert int.from_bytes(second[1:3]) & 0x1FFF == 0
