#!/bin/bash
# FFmpeg's cenc encrypts headers that packagers leave in the clear: slice headers, HEVC's temporal layers, all of a VP9 frame.
#
# Guess: with `-encryption_scheme cenc-aes-ctr` headers stay clear, as the bindings of Common Encryption (ISO/IEC 23001-7) to these codecs have it and
# Shaka Packager does it: those of slices in H.264 and HEVC, the uncompressed header of VP9, those of frames in AV1.
# Seen (FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it): of each NAL unit its first byte alone is clear, so HEVC's two-byte header is cut in half, and the temporal
# layer is in the other half; VP9 has no subsamples. AV1 is as guessed: headers are clear, 20 bytes and more.
# Matters for whoever tells without the key which frames may be left out: a server, a player, a tool that copies a ladder.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

encrypted() {
  "$ffmpeg" -v fatal -f lavfi -i testsrc2=size=320x180:rate=25:duration=1 -pix_fmt yuv420p -c:v "$1" -b:v 200k -f mp4 -movflags empty_moov+default_base_moof \
    -encryption_scheme cenc-aes-ctr -encryption_key 00112233445566778899aabbccddeeff -encryption_kid ffeeddccbbaa99887766554433221100 "$1.mp4" 2> "$1.log"
}
for encoder in libx264 libx265 libvpx-vp9 libsvtav1; do encrypted $encoder; done

cat > clear.py <<'PY'
import sys

data = open(sys.argv[1], "rb").read()
at = data.index(b"senc") + 4
flags, count, at = int.from_bytes(data[at + 1 : at + 4], "big"), int.from_bytes(data[at + 4 : at + 8], "big"), at + 8
least = []
for _ in range(count if flags & 2 else 0):
    parts, at = int.from_bytes(data[at + 8 : at + 10], "big"), at + 10
    for _ in range(parts):
        if int.from_bytes(data[at + 2 : at + 6], "big"):
            least.append(int.from_bytes(data[at : at + 2], "big"))
        at += 6
print(min(least) if least else "no subsamples")
PY
failed=0
holds() {
  found=$(python3 clear.py "$2.mp4")
  echo "$1, fewest clear bytes before encrypted ones: $found"
  [ "$found" = "$3" ] || { echo "has changed: the finding says $3"; failed=1; }
}
# Four bytes of length, one of the header.
holds H.264 libx264 5
holds HEVC libx265 5
holds VP9 libvpx-vp9 'no subsamples'
clear=$(python3 clear.py libsvtav1.mp4)
echo "AV1, fewest clear bytes before encrypted ones: $clear"
[ "$clear" -gt 5 ] || { echo 'has changed: the finding says more than 5'; failed=1; }
exit $failed
