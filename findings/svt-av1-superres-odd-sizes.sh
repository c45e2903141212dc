#!/bin/bash
# SVT-AV1 with super-resolution writes streams that libaom refuses, where width or height is no multiple of 8.
#
# Guess: any size that the encoder takes without a message gives a stream that every decoder of AV1 takes.
# Seen (SVT-AV1 4.2.0 in FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it): with `superres-mode=1` libaom ends at the first frame with "Frame dimensions are larger than the
# maximum values" for 320x180 and 180x112; dav1d decodes all without a message. For 320x192 and 184x112 both do, and without super-resolution for all.
# Matters where AV1 is tried with dav1d alone, as browsers have it, and played by what has libaom.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

decoded() { # DECODER FILE: no if the decoder says something
  if [ -z "$("$ffmpeg" -v error -xerror -c:v "$1" -i "$2" -f null - 2>&1)" ]; then echo yes; else echo no; fi
}
changed=0
for size in 320x180 180x112 320x192 184x112; do
  for mode in 0 1; do
    "$ffmpeg" -v fatal -f lavfi -i testsrc2=size=$size:rate=25:duration=1 -pix_fmt yuv420p -c:v libsvtav1 -preset 9 -b:v 200k \
      -svtav1-params superres-mode=$mode:superres-denom=12 $size-$mode.mp4 2> encode.log
    seen="$(decoded libdav1d $size-$mode.mp4) $(decoded libaom-av1 $size-$mode.mp4)"
    case $mode-$size in
      1-320x180 | 1-180x112) expected='yes no' ;;
      *) expected='yes yes' ;;
    esac
    echo "$size, superres-mode=$mode: decoded by dav1d, by libaom: $seen"
    [ "$seen" = "$expected" ] || { echo "  has changed: the finding says $expected"; changed=1; }
  done
done
exit $changed
