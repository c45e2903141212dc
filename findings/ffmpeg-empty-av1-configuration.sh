#!/bin/bash
# FFmpeg writes an av1C box without content into the fragmented MP4 of libaom, and one of made-up content into that of rav1e.
#
# Guess: with `-movflags empty_moov` the initialization segment has the decoder configuration (`av1C`: marker, profile, level, sequence header) of each AV1
# encoder, as it has that of SVT-AV1: muxers ask encoders for a global header, and all three can say it before the first frame.
# Seen (FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it): libaom's box has no byte, without a warning; rav1e's says level 31 ("any") and has no sequence header.
# With `delay_moov` in place of `empty_moov`, which waits for the first frame, libaom's is whole; rav1e's stays as it is.
# Matters for whoever packages live or fragmented AV1 so: the string of the codec (`av01.P.LLT.DD`), which manifests must have, cannot be told from the file,
# or is told wrongly.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

encoded() {
  "$ffmpeg" -v fatal -f lavfi -i testsrc2=size=192x112:rate=25:duration=0.4 -pix_fmt yuv420p -c:v "$1" -b:v 200k -movflags "+frag_keyframe+$2+default_base_moof" \
    "$1-$2.mp4" 2> encode.log
}
for encoder in libsvtav1 libaom-av1 librav1e; do
  encoded $encoder empty_moov
  encoded $encoder delay_moov
done

cat > finding.py <<'PY'
import sys

expected = {
    ("libsvtav1", "empty_moov"): "a sequence header",
    ("libaom-av1", "empty_moov"): "nothing",
    ("librav1e", "empty_moov"): "no sequence header, level 31",
    ("libsvtav1", "delay_moov"): "a sequence header",
    ("libaom-av1", "delay_moov"): "a sequence header",
    ("librav1e", "delay_moov"): "no sequence header, level 31",
}
changed = False
for (encoder, moov), finding in expected.items():
    data = open(f"{encoder}-{moov}.mp4", "rb").read()
    at = data.index(b"av1C")
    content = data[at + 4 : at - 4 + int.from_bytes(data[at - 4 : at], "big")]
    seen = "nothing" if not content else "a sequence header" if len(content) > 4 else f"no sequence header, level {content[1] & 31}"
    print(f"{encoder}, {moov}: av1C has {seen}" + ("" if seen == finding else f", has changed: the finding says {finding}"))
    changed |= seen != finding
sys.exit(changed)
PY
python3 finding.py
