#!/bin/bash
# FFmpeg's `-movflags cmaf` makes sound 1024 samples later than its pictures, where the two are tracks of their own as CMAF wants them.
#
# Guess: pictures and sound of one command, each in an output of its own, are as far from each other as in one MP4.
# Seen (FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it; 5.1.9 does the same): AAC begins with 1024 samples of priming, before time 0. In an ordinary MP4 an edit
# list hides them. With `cmaf` the header is written before the first packet and has no edit list; the fragments begin at 0, so all of the sound is 21 ms late.
# FFmpeg warns of it ("starts with a nonzero dts -1024 … Set the delay_moov flag"); with that flag 9.0.2 writes an edit list, 5.1.9 still none.
# `frag_every_frame+empty_moov+default_base_moof+delay_moov` has one in both, and so has `-f dash`.
# Matters for ingest of CMAF over HTTP, one request a track: sound is a frame late in all players, and nobody hears why.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

source=(-f lavfi -i testsrc2=size=320x180:rate=30:duration=1 -f lavfi -i sine=sample_rate=48000:duration=1)
coded=(-c:v libx264 -preset veryfast -bf 0 -c:a aac)
status=0
for flags in faststart cmaf cmaf+delay_moov frag_every_frame+empty_moov+default_base_moof+delay_moov; do
  "$ffmpeg" -v error -y "${source[@]}" -map 0:v "${coded[@]}" -movflags "$flags" v.mp4 -map 1:a "${coded[@]}" -movflags "$flags" a.mp4 2> said.txt
  first() { "$ffmpeg" -v error -copyts -i "$1" -c copy -f framecrc - | grep -v '^#' | head -n 1 | cut -d, -f3 | tr -d ' '; }
  found="$(first v.mp4) $(first a.mp4)"
  case $flags in cmaf) expected='0 0' ;; *) expected='0 -1024' ;; esac
  echo "$flags: the first picture and the first samples, at 48 kHz: $found"
  if [ "$found" != "$expected" ]; then
    echo "has changed: the finding says $expected"
    status=1
  fi
done
exit $status
