#!/bin/bash
# FFmpeg 9.0 plays only the first of a playlist's byte ranges over HTTP, without an error.
#
# Guess: a media playlist (RFC 8216) whose segments are byte ranges of one file is read the same from a file and from an HTTP server.
# Seen (FFmpeg 9.0.2, as imageio-ffmpeg 0.8.1 has it): from a file all 150 frames come, over HTTP 50, those of the first range; the exit code is 0. FFmpeg
# 5.1.9 reads 150 both times, and 9.0.2 does where each segment is a file of its own.
# Matters for everyone who serves HLS with EXT-X-BYTERANGE: players on FFmpeg end after one segment.
. "$(dirname "$0")/support/setup.sh"
pip_packages imageio-ffmpeg==0.8.1
ffmpeg=$(echo "$work"/python/imageio_ffmpeg/binaries/ffmpeg-*)
chmod +x "$ffmpeg"
"$ffmpeg" -version | head -n 1

mkdir ranges files
for form in ranges files; do
  flags=(-hls_segment_filename "$form/%d.m4s")
  [ $form = ranges ] && flags=(-hls_flags single_file -hls_segment_filename ranges/media.mp4)
  "$ffmpeg" -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=6,format=yuv420p -c:v libx264 -preset veryfast \
    -x264-params keyint=50:min-keyint=50:scenecut=0 -f hls -hls_time 2 -hls_segment_type fmp4 -hls_playlist_type vod \
    "${flags[@]}" $form/list.m3u8
done

cat > finding.py <<'PY'
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


class Files(BaseHTTPRequestHandler):
    """Files of this folder, and ranges of them (RFC 9110 §14)."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        data = Path("." + self.path).read_bytes()
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("range", ""))
        self.send_response(206 if found else 200)
        if found:
            first, last = int(found[1]), min(len(data) - 1, int(found[2] or len(data) - 1))
            self.send_header("content-range", f"bytes {first}-{last}/{len(data)}")
            data = data[first : last + 1]
        self.send_header("accept-ranges", "bytes")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        try:
            self.wfile.write(data)
        except ConnectionError:
            self.close_connection = True


def read(address: str) -> list[int]:
    """Exit code, and how many frames came."""
    command = [sys.argv[1], "-v", "quiet", "-i", address, "-c", "copy", "-f", "framecrc", "-"]
    run = subprocess.run(command, capture_output=True, text=True)
    return [run.returncode, sum(not line.startswith("#") for line in run.stdout.splitlines())]


server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
server.handle_error = lambda *_: None  # FFmpeg closes connections that it needs no more
Thread(target=server.serve_forever, daemon=True).start()
over_http = f"http://127.0.0.1:{server.server_port}"
seen = {
    "byte ranges, from a file": read("ranges/list.m3u8"),
    "byte ranges, over HTTP": read(f"{over_http}/ranges/list.m3u8"),
    "files, over HTTP": read(f"{over_http}/files/list.m3u8"),
}
expected = [[0, 150], [0, 50], [0, 150]]
for (what, value), finding in zip(seen.items(), expected, strict=True):
    print(f"{what}: exit code, frames {value}" + ("" if value == finding else f", has changed: the finding says {finding}"))
sys.exit(0 if list(seen.values()) == expected else 1)
PY
python3 finding.py "$ffmpeg"
