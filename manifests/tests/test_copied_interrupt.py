"""`voxel-live --copy` and `--ingest` end with Ctrl-C, whatever the machine does meanwhile."""

import subprocess
import sys
from pathlib import Path

SLOWLY_INTERRUPTED = """
import signal, sys, time
from pathlib import Path
from threading import Event
from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.copied.ingest.address import parse_ingest
from voxel_prepare.live.copied.request import CopyRequest
from voxel_prepare.live.copied.session import CopySession

stop = Event()

def interrupt(number, frame):
    time.sleep(0.2)
    stop.set()

signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.5)
ingest = parse_ingest("127.0.0.1:0", None)
request = CopyRequest((), Path(sys.argv[1]), None, None, 1.0, 60.0, False, ingest)
print(CopySession(request, WallClock(), stop).run())
"""


def test_an_interrupt_that_is_handled_slowly_ends_it(tmp_path: Path) -> None:
    words = [sys.executable, "-c", SLOWLY_INTERRUPTED, str(tmp_path / "out")]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, "None\n"), ended.stderr
