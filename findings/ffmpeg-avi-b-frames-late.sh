#!/bin/bash
# FFmpeg shows the pictures of an AVI file with B frames as late as its decoder works ahead: the picture comes after its sound.
#
# Guess: AVI counts pictures, so the first one is shown at 0, as its sound is heard from 0.
# Seen (FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it): AVI only says when pictures are decoded, and FFmpeg gives each the time of the packet with which it comes
# out: with two B frames in a row the first is at 2 of 25 s, without B frames at 0. A raw stream of the same pictures begins at 0.
# Matters for whoever converts such files with their sound: it comes 80 ms early, without a word.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

for run in 0 2; do
  "$ffmpeg" -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=2 -f lavfi -i sine=duration=2 \
    -c:v libx264 -preset ultrafast -pix_fmt yuv420p -bf "$run" -c:a mp2 "$run.avi"
done
"$ffmpeg" -v error -i 2.avi -map 0:v -c copy raw.264

first() { "$ffmpeg" -v error -i "$1" -map 0:v -f framecrc - | grep -v '^#' | head -n 1 | cut -d, -f3 | tr -d ' '; }
failed=0
holds() {
  echo "$1, first picture: frame $2"
  [ "$2" = "$3" ] || { echo "has changed: the finding says $3"; failed=1; }
}
holds 'AVI without B frames' "$(first 0.avi)" 0
holds 'AVI with two B frames' "$(first 2.avi)" 2
holds 'the same pictures, raw' "$(first raw.264)" 0
exit $failed
