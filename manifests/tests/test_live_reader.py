"""How `voxel-live` reads its input."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from clips import make_clip_with_sound
from voxel_prepare.live import source
from voxel_prepare.live.inputs import open_input
from voxel_prepare.live.source import Material, Reader


@pytest.fixture
def materials(tmp_path: Path) -> Iterator[Iterator[Material]]:
    """What is read of a clip of three seconds, which loops."""
    stop = Event()
    reader = Reader(open_input(str(make_clip_with_sound(tmp_path / "clip.mp4", seconds=3))), stop)
    reader.start()
    first = reader.material.get(timeout=30)
    assert first is not None
    assert first.seconds == 0
    reader.begin()
    yield iter(lambda: reader.material.get(timeout=30), None)
    stop.set()
    reader.join(timeout=30)


def test_after_a_pause_a_file_goes_on_in_real_time(
    materials: Iterator[Material], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process stood still for five seconds: what comes then was captured then, and nothing comes in a burst."""
    before = [next(materials).seconds for _ in range(20)]
    monkeypatch.setattr(source, "monotonic", lambda: monotonic() + 5)
    after = [next(materials).seconds for _ in range(200)]
    gaps = [later - earlier for earlier, later in pairwise(sorted(before + after))]
    assert sum(gap > 4 for gap in gaps) == 1
    # A busy machine may make pauses of its own, of a second and more.
    assert all(gap < 0.2 or gap > 1 for gap in gaps)
