"""What `voxel-live` does with an input."""

import signal
from threading import Event
from types import FrameType

from voxel_prepare.errors import InputError
from voxel_prepare.jobs.progress import say
from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.inputs import open_input
from voxel_prepare.live.presentation import Presentation
from voxel_prepare.live.request import LiveRequest
from voxel_prepare.live.room import Room
from voxel_prepare.live.session import Session
from voxel_prepare.live.state import LiveState, lock_folder
from voxel_prepare.live.status import LiveSummary, listed
from voxel_prepare.live.timeline import Timeline


def run_live(request: LiveRequest, stop: Event) -> LiveSummary:
    """Encodes until the input ends or `stop` is set, then ends the presentation. Raises `PreparationError`."""
    with lock_folder(request.out):
        input_ = open_input(request.input)
        choice = request.frames(input_)
        representations = tuple(request.ladder(input_))
        if request.representations is None:
            say(f"encoding {listed(representations)}: the first, at half the rate, is for links that fade")
        state = LiveState(
            timeline=Timeline(0, input_.rate, choice.segment_frames, 0),
            choice=choice,
            representations=representations,
            has_audio=input_.has_audio,
        )
        room = Room(stop)
        presentation = Presentation(request.out, state, request.latency, request.window, keep=request.keep, room=room)
        summary = Session(input_, presentation, WallClock(), stop, has_clock=request.clock).run()
        if summary is None and not stop.is_set():
            raise InputError(f"{request.input}: expected pictures, found none")
    return summary or LiveSummary(0, 0, 0)


def stop_on_interrupt() -> Event:
    """Set by the first Ctrl-C or SIGTERM; the next one interrupts at once."""
    stop = Event()

    def interrupt(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        say("ending: a second Ctrl-C leaves the presentation as it is")
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    return stop
