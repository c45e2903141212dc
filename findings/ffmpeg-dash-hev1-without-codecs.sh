#!/bin/bash
# FFmpeg's DASH muxer writes an empty codecs attribute for HEVC, unless the tag is hvc1.
#
# Guess: `-c:v libx265 -f dash` writes an MPD with `codecs="hev1.1.6.L…"`, as it writes that of every other codec that it takes.
# Seen (FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it): `codecs=""`, without a message: its MP4 muxer takes hev1 by default, and the string is made for hvc1 only.
# With `-tag:v hvc1` it is there.
# Matters for players: they ask the browser for the string (`isTypeSupported`) before they choose a representation.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

packaged() {
  mkdir "$1"
  "$ffmpeg" -v error -f lavfi -i testsrc2=size=192x112:rate=25:duration=0.4 -pix_fmt yuv420p -c:v libx265 -x265-params log-level=none "${@:2}" \
    -f dash "$1/manifest.mpd"
  grep -o 'codecs="[^"]*"' "$1/manifest.mpd"
}
default=$(packaged default)
tagged=$(packaged tagged -tag:v hvc1)
echo "by default: $default; with -tag:v hvc1: $tagged"
[ "$default" = 'codecs=""' ] && [ "$tagged" = 'codecs="hvc1.1.6.L30.90"' ]
