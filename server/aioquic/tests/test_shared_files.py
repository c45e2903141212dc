"""One descriptor for all responses of a file, in any thread."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from voxel_serve.files import Mounts


def test_a_file_that_is_being_closed_is_not_shared(tmp_path: Path) -> None:
    (tmp_path / "media.mp4").write_bytes(bytes(range(256)))
    mounts = Mounts({"/": tmp_path}, 8)

    def read(_: int) -> bytes:
        file = mounts.open("/media.mp4")
        first = os.pread(file.handle.fileno(), 2, 0)
        file.close()
        return first

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(read, range(5000))) == {b"\0\1"}
    assert len([mounts.open("/media.mp4") for _ in range(20)]) == 20
