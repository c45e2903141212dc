"""Watches what `voxel-live --copy --keep` publishes until standard input ends, and then checks all of it:
watch_published.py OUT prints {"manifests": states, "playlists": states, "segments": …, "problems": […]}.
"""

import json
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import sleep

from lxml import etree
from mpd_schema import check_mpd
from plain_playlists import check_growth
from published import check_published, records_of
from voxel_prepare.errors import PreparationError

POLL_SECONDS = 0.05
WRONG = (AssertionError, LookupError, OSError, PreparationError, ValueError, etree.LxmlError)
"""What checks raise."""


class Watcher:
    """Keeps every state of the manifest and of the playlists that it sees."""

    def __init__(self, out: Path) -> None:
        self.states: dict[Path, list[str]] = {}
        self._out = out

    def look(self) -> None:
        """Takes what is there now."""
        for path in [self._out / "manifest.mpd", *self._out.glob("*/media.m3u8")]:
            text = path.read_text() if path.exists() else ""
            states = self.states.setdefault(path, [])
            if text not in states[-1:]:
                states.append(text)

    def problems(self) -> list[str]:
        """What is wrong in any state, or in the media."""
        found: list[str] = []
        for path, states in self.states.items():
            name = str(path.relative_to(self._out))
            if path.suffix == ".mpd":
                for text in states:
                    _try(found, name, lambda text=text: check_mpd(text.encode()))  # type: ignore[misc]
            else:
                _try(found, name, lambda path=path, states=states: check_growth(path.parent, states))  # type: ignore[misc]
        for track in self.tracks():
            _try(found, track.name, lambda track=track: check_published(track))  # type: ignore[misc]
        return found

    def tracks(self) -> list[Path]:
        """The folders of representations."""
        return sorted(path.parent for path in self._out.glob("*/init.mp4"))


def _try(found: list[str], name: str, check: Callable[[], object]) -> None:
    try:
        check()
    except WRONG as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        found.append(f"{name}: {place.line}: {error}")


def main() -> None:
    """Watches and checks."""
    watcher = Watcher(Path(sys.argv[1]))
    waiting = Thread(target=sys.stdin.read, daemon=True)
    waiting.start()
    while waiting.is_alive():
        watcher.look()
        sleep(POLL_SECONDS)
    problems = watcher.problems()
    manifests = sum(len(states) for path, states in watcher.states.items() if path.suffix == ".mpd")
    playlists = sum(len(states) for path, states in watcher.states.items() if path.suffix != ".mpd")
    segments = sum(len(records_of(track)) for track in watcher.tracks())
    print(json.dumps({"manifests": manifests, "playlists": playlists, "segments": segments, "problems": problems}))


if __name__ == "__main__":
    main()
