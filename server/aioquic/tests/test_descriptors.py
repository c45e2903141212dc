import errno
import os
from pathlib import Path

import pytest
from voxel_serve.descriptors import Budget, divide
from voxel_serve.errors import HttpError
from voxel_serve.files import Mounts


@pytest.mark.parametrize(
    ("descriptors", "connections", "expected"),
    [
        (1_000_000, 1000, (1000, 998_936)),
        (1024, 1000, (480, 480)),
        (1024, 100, (100, 860)),
        (1024, 0, (480, 480)),
        (64, 1000, (1, 1)),
    ],
)
def test_connections_are_lowered_to_what_fits_and_files_get_the_rest(
    descriptors: int, connections: int, expected: tuple[int, int]
) -> None:
    assert divide(descriptors, connections) == Budget(*expected)


def status_of(mounts: Mounts, path: str) -> int:
    with pytest.raises(HttpError) as refusal:
        mounts.open(path)
    return refusal.value.status.value


def test_files_beyond_their_share_are_unavailable_and_a_closed_one_makes_room(folder: Path) -> None:
    mounts = Mounts({"/": folder}, 2)
    first, second = mounts.open("/media.mp4"), mounts.open("/empty.bin")
    assert status_of(mounts, "/index.html") == 503
    first.close()
    first.close()
    third = mounts.open("/media.mp4")
    assert status_of(mounts, "/index.html") == 503
    del second  # As when its request is cancelled.
    mounts.open("/index.html").close()
    third.close()


def test_responses_share_a_descriptor_until_the_last_has_read_it(folder: Path) -> None:
    mounts = Mounts({"/": folder}, 1)
    first, second = mounts.open("/media.mp4"), mounts.open("/media.mp4")
    assert first.handle.fileno() == second.handle.fileno()
    first.close()
    assert os.pread(second.handle.fileno(), 10, 0) == (folder / "media.mp4").read_bytes()[:10]
    assert status_of(mounts, "/index.html") == 503
    second.close()
    mounts.open("/index.html").close()


def test_a_file_in_the_place_of_one_that_is_read_is_another(folder: Path) -> None:
    mounts = Mounts({"/": folder}, 2)
    old = mounts.open("/media.mp4")
    (folder / "media.mp4").unlink()
    (folder / "media.mp4").write_bytes(b"newer")
    new = mounts.open("/media.mp4")
    assert os.pread(new.handle.fileno(), 10, 0) == b"newer"
    assert new.etag != old.etag
    assert os.fstat(old.handle.fileno()).st_size == old.size


def test_what_cannot_be_opened_keeps_no_permit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = Mounts({"/": folder}, 1)
    os.mkfifo(folder / "pipe")
    assert [status_of(mounts, path) for path in ("/absent", "/pipe", "/absent")] == [404, 404, 404]

    def fail(*_: object, **__: object) -> int:
        raise OSError(errno.EMFILE, "too many open files")

    with monkeypatch.context() as context:
        context.setattr(os, "open", fail)
        assert status_of(mounts, "/media.mp4") == 503
    mounts.open("/media.mp4").close()
