"""What `voxel-live` has published: whether it is all there, without a gap, and plays."""

import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile

from voxel_prepare.ffmpeg import ffmpeg_program
from voxel_prepare.manifest.live_records import Records, read_records


def records_of(track: Path) -> dict[int, Records]:
    """The records of all segments that have a chunk, as they are in the files."""
    numbers = sorted(int(path.name.partition(".")[0]) for path in track.glob("[0-9]*.m4s.vxl"))
    found = {number: read_records((track / f"{number}.m4s.vxl").read_bytes()) for number in numbers}
    return {number: records for number, records in found.items() if records.chunks}


def check_published(track: Path) -> None:
    """Records announce media that are there, follow each other without a gap, and what they announce plays."""
    found = records_of(track)
    assert list(found) == list(range(next(iter(found), 0), next(iter(found), 0) + len(found)))
    time = None
    media = b""
    for number, records in found.items():
        data = (track / f"{number}.m4s").read_bytes()
        end = records.chunks[-1].range.end
        assert end <= len(data), f"{track.name}/{number}.m4s"
        assert records.length in {None, end}
        media += data[:end]
        for chunk in records.chunks:
            assert time in {None, chunk.decode_time}, f"{track.name}/{number}.m4s"
            time = chunk.decode_time + chunk.duration
    if media:
        with NamedTemporaryFile(suffix=".mp4") as whole:  # the disk of the stream may be full
            whole.write((track / "init.mp4").read_bytes() + media)
            whole.flush()
            strict = ("-v", "warning", "-xerror", "-err_detect", "explode", "-i", whole.name, "-f", "null", "-")
            played = subprocess.run(
                [ffmpeg_program(), "-nostdin", *strict], capture_output=True, text=True, check=False
            )
        assert (played.returncode, played.stderr) == (0, ""), f"{track.name}: {played.stderr}"
