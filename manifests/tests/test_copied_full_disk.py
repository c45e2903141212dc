"""`voxel-live --copy` on a disk that becomes full: it waits for room, and goes on with all that came meanwhile."""

import errno
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty
from threading import Event

import pytest
from disks import resize
from processes import wait_for
from published import check_published, records_of
from test_copied_streams import RATE, SECONDS, began, make_streams, push, samples, sent, start
from voxel_prepare.live.copied.backlog import Backlog
from voxel_prepare.live.copied.notes import Gone, Note
from voxel_prepare.live.copied.packets import Kind, Packet
from voxel_prepare.live.room import AT_ONCE, Room

FULL_SECONDS = 1.5
SAID = "No space left on device: waiting until there is room"


class Disk:
    """Attempts to write: so many fail."""

    def __init__(self, failures: int, number: int = errno.ENOSPC) -> None:
        self.attempts = 0
        self._failures, self._number = failures, number

    def write(self) -> str:
        self.attempts += 1
        if self.attempts <= self._failures:
            raise OSError(self._number, os.strerror(self._number), "media/1.m4s")
        return "written"


def test_a_write_waits_until_there_is_room_and_says_so_once(capsys: pytest.CaptureFixture[str]) -> None:
    room = Room(Event())
    disks = Disk(2), Disk(1), Disk(0)
    assert [room.write(disk.write) for disk in disks] == ["written"] * 3
    assert [disk.attempts for disk in disks] == [3, 2, 1]
    full, again = capsys.readouterr().err.splitlines()
    assert full == f"media/1.m4s: {SAID}"
    assert again.startswith("there is room again after 0.2")


def test_of_tracks_that_wait_together_one_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voxel_prepare.live.room.SAID_SECONDS", 0.15)
    room = Room(Event())
    with ThreadPoolExecutor() as pool:
        assert list(pool.map(lambda disk: room.write(disk.write), [Disk(4), Disk(4), Disk(4)])) == ["written"] * 3
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_other_failures_are_no_matter_of_room() -> None:
    disk = Disk(1, errno.EACCES)
    with pytest.raises(PermissionError):
        Room(Event()).write(disk.write)
    assert disk.attempts == 1


@pytest.mark.parametrize("is_stopped", [True, False])
def test_who_is_stopped_or_cannot_wait_hears_of_a_full_disk(is_stopped: bool) -> None:
    stop = Event()
    stop.set()
    disk = Disk(1)
    with pytest.raises(OSError, match="No space left"):
        (Room(stop) if is_stopped else AT_ONCE).write(disk.write)
    assert disk.attempts == 1


def packet(size: int, kind: Kind = "video", track: int = 0, *, is_key: bool = False) -> Note:
    return Note(0, Packet(kind, track, bytes(size), 0, 0, 0, is_key))


def taken(backlog: Backlog) -> Iterator[Note]:
    while True:
        try:
            yield backlog.get_nowait()
        except Empty:
            return


def test_a_backlog_without_room_leaves_packets_out_up_to_the_next_that_decoding_can_start_with() -> None:
    backlog = Backlog(10)
    key, frame, late, gone = packet(6, is_key=True), packet(4), packet(1), Note(0, Gone("has ended", is_final=False))
    sound, other = packet(2, "audio", is_key=True), packet(3, track=1)
    for note in (key, frame, late, gone):
        backlog.put(note)
    assert list(taken(backlog)) == [key, frame, gone]
    # There is room again, but what refers to what was left out stays away; of other tracks nothing was.
    for note in (frame, other, sound, key, late):
        backlog.put(note)
    assert list(taken(backlog)) == [other, sound]
    for note in (key, frame):
        backlog.put(note)
    assert list(taken(backlog)) == [key, frame]


def fill(disk: Path) -> Path:
    """A file that leaves no room."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(bytes(4096))
    return ballast


def copied(disk: Path, folder: Path) -> tuple["subprocess.Popen[str]", "subprocess.Popen[bytes]", Path, Path]:
    """A copy under way whose disk has just become full: publisher, sender, ballast, and what is sent."""
    resize(disk, 1 << 22)
    stream = make_streams(folder)[0]
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    process = start(disk / "out", pipe)
    sender = push(stream, pipe)
    wait_for(lambda: began(disk / "out" / "v0") or process.poll() is not None)
    ballast = fill(disk)
    assert process.stderr is not None
    assert any(SAID in line for line in process.stderr)
    return process, sender, ballast, stream


def test_what_came_while_the_disk_was_full_is_published_whole(disk: Path, tmp_path: Path) -> None:
    process, sender, ballast, stream = copied(disk, tmp_path)
    out = disk / "out"
    before = len(records_of(out / "v0"))
    time.sleep(FULL_SECONDS)
    assert len(records_of(out / "v0")) <= before + 1
    ballast.unlink()
    assert sender.wait(60) == 0
    wait_for(lambda: len(samples(out / "v0")) >= SECONDS * RATE or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "there is room again after" in said
    assert [data for _, data in samples(out / "v0")][: SECONDS * RATE] == [data for _, data in sent(stream)]
    for name in ("v0", "a0"):
        check_published(out / name)


def test_an_interrupt_ends_it_while_the_disk_is_full(disk: Path, tmp_path: Path) -> None:
    process, sender, _, _ = copied(disk, tmp_path)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    sender.kill()
    sender.wait()
    assert process.returncode == 1, said
    assert said.splitlines()[-1].endswith("No space left on device")
    for name in ("v0", "a0"):
        check_published(disk / "out" / name)
