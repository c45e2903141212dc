#!/bin/bash
# x265 with two or four temporal layers has pictures decoded after they are shown, and FFmpeg moves them to other times for that.
#
# Guess: `temporal-layers` only changes which pictures are references of which, and every picture keeps the time that it was encoded with, as with
# `b-pyramid`, which has two layers as well.
# Seen (x265 in FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it): with seven B pictures in a row, one picture of each eight has a decode time after its own
# time. FFmpeg replaces both by a guess ("Invalid DTS … replacing by guess", a warning), and in the file such a picture is shown between two frames. With
# three layers, and without the option, all times are right.
# Matters for whoever encodes HEVC in temporal layers, so that some can be left out: `-bsf:v setts=dts=DTS-…` before the muxer keeps all times.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

x265=log-level=none:pools=none:frame-threads=1:keyint=50:min-keyint=50:scenecut=0:b-adapt=0:bframes=7
for layers in 0 2 3 4; do
  "$ffmpeg" -v warning -f lavfi -i testsrc2=size=192x112:rate=25:duration=4 -pix_fmt yuv420p -c:v libx265 -preset medium -b:v 100k \
    -x265-params "$x265$( ((layers)) && echo ":temporal-layers=$layers")" "$layers.mp4" 2> "$layers.log"
  "$ffmpeg" -v fatal -i "$layers.mp4" -c copy -f framecrc - > "$layers.txt"
done

cat > finding.py <<'PY'
import sys

changed = False
for layers, is_late in (("0", False), ("2", True), ("3", False), ("4", True)):
    rows = [line.split(",") for line in open(f"{layers}.txt") if not line.startswith("#")]
    times, length = sorted(int(row[2]) for row in rows), int(rows[0][3])
    odd = sum(time not in range(0, length * len(rows), length) for time in times)
    doubled = len(times) - len(set(times))
    guesses = sum("replacing by guess" in line for line in open(f"{layers}.log"))
    print(f"temporal-layers={layers}: FFmpeg guessed {guesses} times of {len(times)} pictures; {doubled} share the time of another, {odd} lie between frames")
    changed |= (guesses > 0 and doubled + odd > 0) != is_late
sys.exit(changed)
PY
python3 finding.py
