"""An MPD of `voxel-prepare --copy`: what is read lies in the MPD's folder."""

import struct
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from fmp4_builder import init_segment, media_segment, sample, whole_picture
from voxel_prepare.errors import InputError
from voxel_prepare.manifest.existing import read_existing

KEY_PICTURE = whole_picture("I")

SEGMENT_FRAMES = 2


@cache
def _folder() -> tuple[TemporaryDirectory[str], Path]:
    """A folder with an initialization segment, a media segment, both in one file, and a file beside the folder."""
    temporary = TemporaryDirectory(prefix="voxel-fuzz-")
    inside = Path(temporary.name, "inside").resolve()
    inside.mkdir()
    init = init_segment(KEY_PICTURE.avcc)
    key_frame = bytes([KEY_PICTURE.nal[0] & 0xE0 | 5]) + KEY_PICTURE.nal[1:]
    media = media_segment([[sample(key_frame)] * SEGMENT_FRAMES])
    sidx_fields = struct.pack(">IIIIIHHIII", 0, 1, 25, 0, 0, 0, 1, len(media), 0, 0)
    sidx = struct.pack(">I4s", 8 + len(sidx_fields), b"sidx") + sidx_fields
    for name, data in (("i.mp4", init), ("1.m4s", media), ("a.mp4", init + sidx + media)):
        (inside / name).write_bytes(data)
    (inside.parent / "1.m4s").write_bytes(media)
    return temporary, inside


def fuzz(data: bytes) -> None:
    _, folder = _folder()
    path = folder / "fuzz.mpd"
    path.write_bytes(data)
    try:
        existing = read_existing(path)
    except InputError as error:
        assert "\n" not in str(error)
        return
    assert existing.duration > 0
    for representation in existing.representations:
        addresses = representation.addresses
        assert len(addresses.segments) == len(representation.segment_frames)
        assert set(representation.segment_frames) <= {SEGMENT_FRAMES}
        for address in (addresses.initialization, *addresses.segments):
            assert address.path.resolve().is_relative_to(folder), address.path
            assert 0 <= address.range.start < address.range.end <= address.path.stat().st_size
