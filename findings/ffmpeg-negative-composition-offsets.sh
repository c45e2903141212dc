#!/bin/bash
# FFmpeg gives the frames of a fragmented MP4 other times where it reads it from a pipe than where it reads it from a file.
#
# Guess: with negative composition offsets (`trun` version 1) the first frame is presented at 0, as its boxes say, and all readers agree.
# Seen (FFmpeg 7.0.2, as imageio-ffmpeg 0.6.0 has it; 5.1.9 does the same): the reader adds the greatest negative offset that it has met to all times that follow.
# From a file, whose fragments it looks through first, that is the greatest of all: the first frame is at .08 s, not 0. From a pipe the fragments before the
# first with B frames keep their times, and the next begins 80 ms too late: a gap of two frames that is not in the file.
# Matters where fragments are judged by FFmpeg (ffprobe, decoders of test suites, live pipelines) and played by Media Source Extensions, where the first frame
# is at 0: times differ by a few frames, by an amount that depends on frames elsewhere, and sound and picture by as much.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.6.0
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

# Two seconds of pictures that are black and white in turn, of which x264 makes no B frames, then two of which it does.
"$ffmpeg" -v error -f lavfi -i "nullsrc=s=320x180:r=25:d=2,geq=lum='mod(N\,2)*200+16':cb=128:cr=128,format=yuv420p" \
  -f lavfi -i testsrc2=size=320x180:rate=25:duration=2,format=yuv420p -filter_complex '[0][1]concat=n=2' \
  -c:v libx264 -preset veryfast -bf 3 -x264-params keyint=50:min-keyint=50:scenecut=0:b-adapt=2 \
  -movflags +frag_keyframe+empty_moov+default_base_moof+negative_cts_offsets fragments.mp4

times() { "$ffmpeg" -v error -copyts -i "$1" -c copy -f framecrc - | grep -v '^#'; }
times fragments.mp4 > file.txt
times pipe:0 < <(cat fragments.mp4) > pipe.txt

cat > finding.py <<'PY'
import struct
import sys

data = open("fragments.mp4", "rb").read()


def least_offset(at: int) -> int:
    """The least composition offset of a `trun` box."""
    flags, count = int.from_bytes(data[at + 5 : at + 8], "big"), int.from_bytes(data[at + 8 : at + 12], "big")
    fields = [flag for flag in (0x100, 0x200, 0x400, 0x800) if flags & flag]
    start = at + 12 + 4 * bool(flags & 1) + 4 * bool(flags & 4)
    if 0x800 not in fields:
        return 0
    return min(struct.unpack_from(">i", data, start + 4 * len(fields) * n + 4 * (len(fields) - 1))[0] for n in range(count))


truns = [at for at in range(len(data)) if data[at : at + 4] == b"trun"]
offsets = [least_offset(at) for at in truns]
rows = {name: [[int(cell) for cell in line.split(",")[1:3]] for line in open(f"{name}.txt")] for name in ("file", "pipe")}
seen = {
    "least composition offset of each fragment": offsets,
    "first frame, read from a file": rows["file"][0][1],
    "first frame, read from a pipe": rows["pipe"][0][1],
    "from the last frame of the first fragment to the next, file": rows["file"][50][1] - rows["file"][49][1],
    "from the last frame of the first fragment to the next, pipe": rows["pipe"][50][1] - rows["pipe"][49][1],
}
expected = [[0, -1024], 1024, 0, 512, 1536]
for (what, value), finding in zip(seen.items(), expected, strict=True):
    print(f"{what} (12800 a second): {value}" + ("" if value == finding else f", has changed: the finding says {finding}"))
sys.exit(0 if list(seen.values()) == expected else 1)
PY
python3 finding.py
