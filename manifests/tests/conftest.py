import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from clips import make_clip, make_clip_with_sound
from disks import small_disk
from runs import make_request
from same_examples import use_same_examples
from voxel_prepare.jobs import cluster
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.jobs.workers import LocalWorkers, Workers
from voxel_prepare.media.ladder import parse_representations

use_same_examples()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--twenty", action="store_true", help="failures: twenty moments of each kind, 80 tests")
    parser.addoption("--every-container", action="store_true", help="sync: all containers with all offsets, 136 tests")
    parser.addoption("--every-odd-file", action="store_true", help="corpus: all odd files, each in both ways")
    parser.addoption("--every-subset", action="store_true", help="dependencies: all encoders, 150 sets of frames each")


@pytest.fixture(scope="session", autouse=True)
def _commands_get_interrupts() -> None:
    """Commands inherit an ignored SIGINT, as scripts have it that a shell started in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _no_processes() -> Iterator[None]:
    """Preparations that tests call work in a thread: a process takes longer to start than most have work for it.

    Those that are started as commands have processes.
    """

    @contextmanager
    def threads(count: int) -> Iterator[Workers]:
        with ThreadPoolExecutor(count) as pool:
            yield LocalWorkers(pool, count)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "local_workers", threads)
        yield


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, 64 kB; `disks.resize` makes it larger or smaller."""
    with small_disk(tmp_path / "disk") as folder:
        yield folder


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5 s, 432x240, no sound."""
    return make_clip(tmp_path_factory.mktemp("clip") / "clip.mp4", size="432x240")


@pytest.fixture(scope="session")
def sound_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5 s, 320x180, with sound."""
    return make_clip_with_sound(tmp_path_factory.mktemp("sound") / "clip.mp4")


@pytest.fixture(scope="session")
def large_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20 s, 854x480, no sound: takes a while to encode."""
    return make_clip(tmp_path_factory.mktemp("large") / "clip.mp4", "-preset", "ultrafast", size="854x480", seconds=20)


@pytest.fixture(scope="session")
def prepared(clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`clip` at two representations, two slices a picture, in segments of 2, 2 and 1 s."""
    out = tmp_path_factory.mktemp("prepared")
    prepare(make_request(clip, out=out, slices=2, representations=tuple(parse_representations("144p,240p:0.37"))))
    return out
