"""Whether a hardware decoder gives the pictures that the software decoder gives, of streams that were repaired and of
which frames were removed: `python hardware_decoders.py [SETS]`, on a machine with an NVIDIA card and its driver.

Prints a line for each encoding. Exit code 0: all the same, 1: some differ or end in a message, 2: no such decoder here.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from coded_clips import DECODERS, ENCODINGS, Coded, decode, encode
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges, complement
from voxel_prepare.codecs import codec_of
from voxel_prepare.ffmpeg import ffmpeg_program
from voxel_prepare.repair.frames import read_frames
from voxel_prepare.repair.repair import repair_segment

SETS = 20
"""Sets of frames of each encoding."""

SHARES = (0.02, 0.1, 0.5)
"""How many of the frames that may be missing are."""


def main() -> int:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    if why := lacking():
        print(f"no hardware decoder: {why}", file=sys.stderr)
        return 2
    print(f"{card()}; {Path(ffmpeg_program()).name}")
    with TemporaryDirectory() as folder:
        outcomes = [check(Coded(one, encode(one, Path(folder))), sets, Path(folder)) for one in ENCODINGS]
    return 0 if all(outcomes) else 1


def lacking() -> str:
    """Why there is no decoder; empty where there is one."""
    start = [
        "-v",
        "error",
        "-init_hw_device",
        "cuda",
        "-f",
        "lavfi",
        "-i",
        "nullsrc",
        "-frames:v",
        "1",
        "-f",
        "null",
        "-",
    ]
    done = subprocess.run([ffmpeg_program(), "-nostdin", *start], capture_output=True, text=True, check=False)
    return done.stderr.strip().splitlines()[0] if done.returncode else ""


def card() -> str:
    """Its name and that of the driver."""
    words = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    if shutil.which(words[0]) is None:
        return "a card of which nvidia-smi cannot tell"
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


def check(coded: Coded, sets: int, folder: Path) -> bool:
    """Compares both decoders' pictures of the whole clip and of what is left without each set."""
    random, codec = Random(coded.encoding.name), coded.encoding.codec
    damaged, wrong = folder / "damaged.mp4", 0
    for number in range(sets + 1):
        share = random.choice(SHARES) if number else 0
        damaged.write_bytes(
            repaired(coded, random, share) if codec == "h264" and number % 2 else removed(coded, random, share)
        )
        try:
            wrong += decode(damaged, f"{codec}_cuvid") != decode(damaged, DECODERS[codec][0])
        except AssertionError as message:
            wrong += 1
            print(f"{coded.encoding.name}: {str(message).splitlines()[0]}", file=sys.stderr)
    print(f"{coded.encoding.name} ({codec}): {sets + 1 - wrong} of {sets + 1} the same")
    return wrong == 0


def removed(coded: Coded, random: Random, share: float) -> bytes:
    removable = [place for place, frame in enumerate(coded.frames) if not frame.must_arrive]
    return coded.without({place for place in removable if random.random() < share})


def repaired(coded: Coded, random: Random, share: float) -> bytes:
    """The clip with all-skip slices in place of others."""
    codec = codec_of(coded.track.description)
    ranges = [one for frame in read_frames(codec, coded.segment, coded.track.defaults) for one in frame.unreliable]
    gaps = [one for one in ranges if random.random() < share]
    received = ReceivedRanges(complement(ByteRange(0, len(coded.segment)), gaps))
    return coded.track.init + repair_segment(codec, coded.segment, received).bytes


if __name__ == "__main__":
    sys.exit(main())
