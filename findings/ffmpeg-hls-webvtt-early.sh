#!/bin/bash
# FFmpeg writes the WebVTT of an HLS playlist without X-TIMESTAMP-MAP beside pictures in MPEG-TS that begin at 1.4 s: players show subtitles 1.4 s early.
#
# Guess: each segment of WebVTT has an X-TIMESTAMP-MAP that says which time of the pictures' clock its times count from, as RFC 8216 §3.5 wants where it is not 0.
# Seen (FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it): none has one, so its times count from 0 of the MPEG-TS clock. The muxer's delay has moved pictures to 1.4 s
# of that clock and left the cue, which belongs a second after the first picture, at 1 s: .4 s before it. With `-muxpreload 0 -muxdelay 0` both begin at 0.
# Matters for whoever takes live subtitles from such playlists.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

printf 'WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n' > in.vtt
make() {
  mkdir "$1"
  "$ffmpeg" -v error -f lavfi -i testsrc2=size=160x90:rate=25:duration=4 -i in.vtt -map 0 -map 1 -c:v libx264 -preset ultrafast -bf 0 -c:s webvtt \
    "${@:2}" -f hls -hls_time 2 -hls_list_size 0 -master_pl_name master.m3u8 -var_stream_map v:0,s:0,sgroup:subs "$1/%v.m3u8"
}
make default
make undelayed -muxpreload 0 -muxdelay 0

picture() { "$ffmpeg" -v error -copyts -i "$1/00.ts" -map 0:v -c copy -f framecrc -y first.crc && grep -v '^#' first.crc | head -n 1 | cut -d, -f3 | tr -d ' '; }
failed=0
holds() {
  echo "$1: $2"
  [ "$2" = "$3" ] || { echo "has changed: the finding says $3"; failed=1; }
}
for way in default undelayed; do
  holds "$way: maps of times" "$(cat $way/*.vtt | grep -c X-TIMESTAMP-MAP || true)" 0
  holds "$way: the cue begins" "$(cat $way/*.vtt | grep -m 1 -o '^[0-9:.]* -->' || true)" '00:01.000 -->'
done
holds 'default: first picture, in units of 1/90000 s' "$(picture default)" 126000
holds 'undelayed: first picture' "$(picture undelayed)" 0
exit $failed
