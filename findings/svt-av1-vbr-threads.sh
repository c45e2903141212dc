#!/bin/bash
# SVT-AV1 at a bitrate gives another file in every run, unless it has one thread.
#
# Guess: its output is the same for the same input and settings, in every run and for every number of threads, as its documentation of determinism and
# x264's and libvpx's practice let expect: `lp` only says how much of the machine is used.
# Seen (SVT-AV1 in FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it; libsvtav1, preset 8): with `rc=1` (VBR) and `lp=2`, runs at the same time differ in
# content and size; with `lp=1` all are the same. With a quantizer in place of a bitrate (`-crf`) all are the same, whatever `lp` is.
# Matters for whoever names files by their content, takes part in a chunked encode with several machines, or compares encoders: `lp=1` for each
# representation, and several of them at once, keep the cores busy, too.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

export SVT_LOG=1
runs=6
encode() { # name, options of FFmpeg, parameters of SVT-AV1
  for run in $(seq $runs); do
    "$ffmpeg" -v fatal -f lavfi -i "mandelbrot=size=640x360:rate=25:end_scale=0.01" -t 4 -pix_fmt yuv420p -c:v libsvtav1 -preset 8 -g 50 $2 -svtav1-params "$3" -flags:v +bitexact \
      -f ivf "$1-$run.ivf" 2> encode.log &
  done
  wait
  different=$(sha256sum "$1"-*.ivf | cut -d ' ' -f 1 | sort -u | wc -l)
  echo "$1: $different different files of $runs runs"
}

encode vbr-1 "-b:v 400k" rc=1:lp=1
one=$different
encode crf-2 "-crf 40" lp=2
crf=$different
encode vbr-2 "-b:v 400k" rc=1:lp=2
[ "$one" = 1 ] && [ "$crf" = 1 ] && [ "$different" -gt 1 ]
