"""`voxel-live` with an input from the network."""

import random
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from clips import make_clip_with_sound
from processes import wait_for
from voxel_prepare.ffmpeg import ffmpeg_program
from voxel_prepare.inspect.described import read_described
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.publish import record_head

COMMAND = [sys.executable, "-c", "from voxel_prepare.cli.live import main; main()"]

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts programs, which end with the test."""
    with ExitStack() as stack:

        def start(*command: str | Path) -> "subprocess.Popen[str]":
            words = [str(word) for word in command]
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        yield start


def free_port() -> int:
    """A UDP port that is free, below those that Linux gives to whoever asks for any."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def test_a_stream_over_udp_is_encoded_and_ends_by_ctrl_c_when_its_sender_has_gone(start: Start, tmp_path: Path) -> None:
    clip = make_clip_with_sound(tmp_path / "clip.mp4", seconds=3)
    address, out = f"udp://127.0.0.1:{free_port()}", tmp_path / "out"
    endless = ("-re", "-stream_loop", "-1", "-i", clip, "-c", "copy", "-f", "mpegts", f"{address}?pkt_size=1316")
    sender = start(ffmpeg_program(), "-nostdin", "-v", "error", *endless)
    encoder = start(*COMMAND, address, "--out", out, "--representations", "144p:0.1", "--segment", "0.64", "--keep")
    begun = [out / "v0/3.m4s", out / "a0/3.m4s"]
    wait_for(lambda: all(file.exists() for file in begun) or encoder.poll() is not None)
    sender.kill()
    encoder.send_signal(signal.SIGINT)
    _, messages = encoder.communicate(timeout=120)
    assert (encoder.returncode, "delay from capture to record" in messages) == (0, True), messages
    (video,) = read_described(out)
    assert len(video.segments) >= 3
    for name in ("v0", "a0"):
        track = TrackFolder(out / name, record_head(1))
        assert all(track.records(number).length == len(track.media(number)) for number in range(3))
