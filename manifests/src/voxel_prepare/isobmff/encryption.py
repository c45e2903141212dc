"""Recognises encrypted tracks: without their key they cannot be decoded, so not scored."""

import mmap
from pathlib import Path

from voxel_prepare.isobmff.boxes import BoxReader, Mp4Error
from voxel_prepare.isobmff.track import ENCRYPTED_ENTRIES, SAMPLE_DESCRIPTION_FIELDS

WHY_NOT_ENCRYPTED = "encrypted media cannot be scored; prepare them before encryption"


def has_encrypted_tracks(path: Path) -> bool:
    """True for an MP4 file with a protected video or audio track; False also for files that are not MP4."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return not ENCRYPTED_ENTRIES.isdisjoint(_sample_entries(data))
    except (Mp4Error, ValueError):  # ValueError: an empty file
        return False


def _sample_entries(data: mmap.mmap) -> set[str]:
    with memoryview(data) as view:
        reader = BoxReader(view)
        moov = next((box for box in reader.boxes(0, len(view)) if box.type == "moov"), None)
        tracks = [box for box in reader.children(moov) if box.type == "trak"] if moov else []
        descriptions = [reader.child(track, "mdia", "minf", "stbl", "stsd") for track in tracks]
        return {box.type for stsd in descriptions for box in reader.children(stsd, SAMPLE_DESCRIPTION_FIELDS)}
