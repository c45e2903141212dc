import errno
import os
from pathlib import Path

import pytest
from voxel_serve.descriptors import Budget, FilePermits, divide
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
    mounts = Mounts({"/": folder}, FilePermits(2))
    first, second = mounts.open("/media.mp4"), mounts.open("/media.mp4")
    assert status_of(mounts, "/media.mp4") == 503
    first.close()
    first.close()
    third = mounts.open("/media.mp4")
    assert status_of(mounts, "/media.mp4") == 503
    del second  # As when its request is cancelled.
    mounts.open("/media.mp4").close()
    third.close()


def test_what_cannot_be_opened_keeps_no_permit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = Mounts({"/": folder}, FilePermits(1))
    os.mkfifo(folder / "pipe")
    assert [status_of(mounts, path) for path in ("/absent", "/pipe", "/absent")] == [404, 404, 404]

    def fail(*_: object, **__: object) -> int:
        raise OSError(errno.EMFILE, "too many open files")

    with monkeypatch.context() as context:
        context.setattr(os, "open", fail)
        assert status_of(mounts, "/media.mp4") == 503
    mounts.open("/media.mp4").close()
