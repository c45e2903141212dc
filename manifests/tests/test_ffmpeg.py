"""How FFmpeg's end is reported; a script stands in for it."""

import asyncio
import os
from pathlib import Path

import pytest
from voxel_prepare import ffmpeg
from voxel_prepare.errors import PreparationError


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = folder / "ffmpeg"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(ffmpeg, "ffmpeg_program", lambda: str(program))


def test_progress_is_counted_in_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, "printf 'frame=3\\nfps=1\\nframe=N/A\\nframe=7\\nprogress=end\\n'")
    counts: list[int] = []
    asyncio.run(ffmpeg.run_ffmpeg([], counts.append))
    assert counts == [3, 7]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo 'disk: No space left on device' >&2; echo 'Conversion failed!' >&2; exit 1", "No space left on device"),
        ("echo first >&2; echo last >&2; exit 1", "last"),
        ("exit 7", "exited with code 7 and no message"),
    ],
)
def test_a_failure_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str
) -> None:
    stand_in(tmp_path, monkeypatch, script)
    with pytest.raises(PreparationError) as raised:
        asyncio.run(ffmpeg.run_ffmpeg([]))
    assert str(raised.value) == f"ffmpeg: {reason}"


def test_a_cancelled_run_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, f"echo $$ > {tmp_path}/pid; echo frame=1; exec sleep 60")

    async def cancel_once_it_runs() -> None:
        runs = asyncio.Event()
        task = asyncio.create_task(ffmpeg.run_ffmpeg([], lambda frames: runs.set()))
        await runs.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_once_it_runs())
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
