"""`voxel-live --copy` of SRT, by a named pipe, as docs/LIVE.md has it."""

import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from processes import wait_for
from published import check_published, records_of
from test_copied_streams import RATE, make_streams, samples, sent, start

ROOT = Path(__file__).parents[2]
FFMPEG = shutil.which("ffmpeg") or "ffmpeg"


def has_srt() -> bool:
    try:
        said = subprocess.run([FFMPEG, "-v", "error", "-protocols"], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return "srt" in said.stdout.split()


def listener() -> str:
    """The command that docs/LIVE.md has for the pipe."""
    found = re.search(r"^mkfifo srt\.ts; (ffmpeg .*) &$", (ROOT / "docs" / "LIVE.md").read_text(), re.M)
    assert found is not None
    return found[1]


@pytest.mark.skipif(not has_srt(), reason="FFmpeg has no SRT here")
def test_what_comes_over_srt_is_copied(tmp_path: Path) -> None:
    stream = make_streams(tmp_path)[0]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    os.mkfifo(tmp_path / "srt.ts")
    words = listener().replace("srt://:9000", f"srt://127.0.0.1:{port}").replace("ffmpeg", f"exec {FFMPEG} -v error", 1)
    receiver = subprocess.Popen(["sh", "-c", words], cwd=tmp_path, stdin=subprocess.DEVNULL)
    copied = start(tmp_path / "out", tmp_path / "srt.ts")
    try:
        to = f"srt://127.0.0.1:{port}?mode=caller"
        send = [FFMPEG, "-nostdin", "-v", "error", "-re", "-i", str(stream), "-c", "copy", "-f", "mpegts", to]
        wait_for(lambda: subprocess.run(send, capture_output=True, check=False).returncode == 0)
        expected = [data for _, data in sent(stream)]
        last = tmp_path / "out" / "v0"
        wait_for(lambda: len(records_of(last)) > len(expected) // RATE - 2)
    finally:
        receiver.kill()
        receiver.wait()
        copied.send_signal(signal.SIGINT)
        _, said = copied.communicate(timeout=60)
    assert copied.returncode == 0, said
    for name in ("v0", "a0"):
        check_published(tmp_path / "out" / name)
    came = [data for _, data in samples(tmp_path / "out" / "v0")]
    first = expected.index(came[0])
    count = min(len(came), len(expected) - first)
    assert count > 2 * RATE
    assert came[:count] == expected[first : first + count]
