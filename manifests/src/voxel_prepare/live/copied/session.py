"""Runs a copy: from the packets of inputs to a growing presentation."""

from fractions import Fraction
from queue import Empty
from threading import Event, Thread

from voxel_prepare.errors import InputError
from voxel_prepare.jobs.progress import say
from voxel_prepare.live.clock import FastClock, WallClock
from voxel_prepare.live.copied.alignment import SETTLE, Alignment, InputLine
from voxel_prepare.live.copied.backlog import Backlog
from voxel_prepare.live.copied.cuts import Cuts
from voxel_prepare.live.copied.demux import Demuxer, check_input
from voxel_prepare.live.copied.ingest.reader import IngestReader
from voxel_prepare.live.copied.inputs import CopiedInput
from voxel_prepare.live.copied.notes import CueFound, Gone, Opened, SoundFound
from voxel_prepare.live.copied.packets import TICKS, Packet, Placed
from voxel_prepare.live.copied.presentation import CopiedPresentation, Key
from voxel_prepare.live.copied.request import CopyRequest
from voxel_prepare.live.copied.sounds import chosen_sounds
from voxel_prepare.live.copied.start import TrackStart, segment_ticks, track_start
from voxel_prepare.live.copied.tracks import CopiedVideo
from voxel_prepare.live.room import Room
from voxel_prepare.live.state import lock_folder
from voxel_prepare.live.status import LiveStatus, LiveSummary, listed
from voxel_prepare.media.ladder import Representation

POLL_SECONDS = 0.02
STEP_MS = 50
"""So far a clock goes that waits for what has come to be published."""
OTHERS_SECONDS = 6.0
"""How long the first input waits for the others before the presentation begins."""
LOOK_TICKS = TICKS // 10
SAID_SECONDS = 15
"""After so long without two key frames it is said."""
PATIENCE_SHARE = 0.6
LEAST_PATIENCE = 0.3
"""Share of the latency, and seconds, by which something may be late before something stands in for it."""
SILENT_SECONDS = 1.5
"""After so long without a packet others need not keep to an input's key frames."""


Starts = dict[Key, TrackStart]
"""What is known of representations when a presentation begins, by input and track."""


class CopySession:
    """One run."""

    def __init__(self, request: CopyRequest, clock: WallClock, stop: Event) -> None:
        """Raises `InputError` for an input that is not there."""
        for name in request.inputs:
            check_input(name)
        self._request, self._clock, self._stop = request, clock, stop
        self._notes = Backlog()
        self._inputs = [
            CopiedInput(name, InputLine(number, None, lambda number=number: self._say_left_out(number)))  # type: ignore[misc]
            for number, name in enumerate(request.names)
        ]
        self._patience = round(TICKS * max(LEAST_PATIENCE, PATIENCE_SHARE * request.latency))

    def run(self) -> LiveSummary | None:
        """Copies until all inputs have ended or `stop` is set; None if nothing came. Raises `PreparationError`."""
        with lock_folder(self._request.out):
            for reader in self._readers():
                reader.start()
            starts = self._await()
            return None if starts is None else self._publish(starts)

    def _readers(self) -> list[Thread]:
        clock, put, stop = self._clock, self._notes.put, self._stop
        inputs, ingest = self._request.inputs, self._request.ingest
        readers: list[Thread] = [Demuxer(number, name, clock, put, stop) for number, name in enumerate(inputs)]
        return [*readers, IngestReader(len(inputs), ingest, clock, put, stop)] if ingest else readers

    def _await(self) -> Starts | None:
        """Waits for two key frames of every track, or for a while after the first one has them."""
        ready_since: int | None = None
        began = looked = self._now()
        has_said = False
        while not self._stop.is_set():
            self._take_all(None, None)
            now = self._now()
            if now - looked < LOOK_TICKS:
                continue
            looked = now
            if ready_since is None and not has_said and now - began > SAID_SECONDS * TICKS:
                has_said = True
                say(f"waiting: {self._why()}")
            starts = self._starts()
            ready = {number for number, _ in starts}
            settled = ready and all(now - self._inputs[one].line.waiting[0][1].arrived >= SETTLE for one in ready)
            if settled and ready_since is None:
                ready_since = now
            pending = [
                one
                for number, one in enumerate(self._inputs)
                if not one.is_final and not (number in ready and self._is_whole(number, starts))
            ]
            if ready_since is not None and settled:
                if not pending or now - ready_since > OTHERS_SECONDS * TICKS:
                    return starts
            elif not starts and not pending:
                raise InputError(self._why())
        return None

    def _starts(self) -> Starts:
        return {
            (number, track): start
            for number, one in enumerate(self._inputs)
            for track, facts in enumerate(one.facts)
            if facts is not None and (start := track_start(one.line.waiting, track)) is not None
        }

    def _is_whole(self, number: int, starts: Starts) -> bool:
        """Whether all tracks of an input have begun that can be copied."""
        facts = self._inputs[number].facts
        return all(one is None or (number, track) in starts for track, one in enumerate(facts))

    def _why(self) -> str:
        one = next((one for one in self._inputs if one.reason), self._inputs[0])
        return f"{one.name}: expected H.264 with two IDR pictures, found none" + (
            f": {one.reason}" if one.reason else ""
        )

    def _publish(self, starts: Starts) -> LiveSummary:
        request = self._request
        segment = segment_ticks(list(starts.values()), request.segment)
        lead = self._inputs[min(number for number, _ in starts)].line.waiting
        arrival = min(packet.arrived - stamped.decoded for stamped, packet in lead)
        # Whole milliseconds, as the manifest has them.
        availability_start = (lead[0][0].shown + arrival) * 1000 // TICKS
        alignment = Alignment(Cuts(segment), availability_start * TICKS // 1000)
        longest = max(starts.values(), key=lambda one: one.gop)
        frames = max(1, round(longest.frames * segment / longest.gop))
        known = sorted(starts, key=lambda key: starts[key].bitrate)
        began = self._clock.now()
        status = LiveStatus([self._representation(key, starts[key].bitrate, 0) for key in known], self._clock.now)

        def on_record(captured: int) -> None:
            if captured >= began:  # what waited for the others is no measure
                status.on_record(captured)

        presentation = CopiedPresentation(
            request.out,
            alignment.cuts,
            availability_start,
            Fraction(segment, TICKS),
            frames,
            request.chunk_frames,
            (request.latency, request.window),
            chosen_sounds([one.sounds for one in self._inputs]),
            on_record,
            Room(self._stop),
            keep=request.keep,
        )
        for key in known:
            self._track(presentation, key, starts[key].bitrate)
        say(
            f"copying {listed([one.representation for one in presentation.videos.values()])} in segments of "
            f"{float(segment / TICKS):.3g} s"
        )
        try:
            while not self._stop.is_set() and not all(one.is_final for one in self._inputs):
                self._take_all(alignment, presentation)
                self._tick(alignment, presentation)
                status.show(0)
        finally:
            self._stop.set()
            status.close()
        self._take_all(alignment, presentation, wait=0)
        presentation.end()
        return status.summary()

    def _tick(self, alignment: Alignment, presentation: CopiedPresentation) -> None:
        now = self._now()
        for number, one in enumerate(self._inputs):
            if now - one.arrived > SILENT_SECONDS * TICKS:
                alignment.leave(number)
            least = max((video.next for key, video in presentation.videos.items() if key[0] == number), default=0)
            if settled := one.line.settle(now, alignment, least):
                for placed in settled:
                    self._put(presentation, number, placed)
                self._put_cues(presentation, one)
        presentation.update(now - alignment.origin, self._patience, self._clock.now())

    def _take_all(
        self,
        alignment: Alignment | None,
        presentation: CopiedPresentation | None,
        wait: float = POLL_SECONDS,
    ) -> None:
        """Takes what has come; waits for the first of it."""
        self._clock.hold(self, self._clock.now() + STEP_MS)
        timeout = wait / self._clock.speed
        while True:
            try:
                note = self._notes.get(timeout=timeout) if timeout else self._notes.get_nowait()
            except Empty:
                return
            timeout = 0
            one = self._inputs[note.input]
            match note.content:
                case Packet() as packet:
                    one.arrived = packet.arrived
                    for placed in one.line.add(packet, alignment):
                        if presentation is not None:
                            self._put(presentation, note.input, placed)
                    if packet.kind == "video" and presentation is not None:
                        self._put_cues(presentation, one)
                case CueFound(cue):
                    one.cue_found(cue)
                case Opened() as opened:
                    one.opened(opened)
                case SoundFound() as found:
                    one.sound_found(found)
                case Gone() as gone:
                    one.gone(gone)

    def _put(self, presentation: CopiedPresentation, number: int, placed: Placed) -> None:
        """Adds a packet that has its place."""
        one = self._inputs[number]
        packet = placed.packet
        if packet.kind == "audio":
            if packet.track in one.sounds:
                presentation.sound_came((number, packet.track), one.sounds[packet.track].format, placed)
            return
        facts = one.facts[packet.track] if packet.track < len(one.facts) else None
        if facts is None:
            return
        one.is_left_out = False
        key = number, packet.track
        if key not in presentation.videos:
            if not packet.is_key:
                return
            self._track(presentation, key, 0)
        presentation.came(key, placed)

    def _put_cues(self, presentation: CopiedPresentation, one: CopiedInput) -> None:
        """Adds the cues that came before a picture, whose clock is theirs; those of an input without a place wait."""
        while one.cues and (time := one.line.place(one.cues[0].time)) is not None:
            presentation.cue_came(one.cues.pop(0), time)

    def _track(self, presentation: CopiedPresentation, key: Key, bitrate: float) -> CopiedVideo:
        facts = self._inputs[key[0]].facts[key[1]]
        assert facts is not None
        return presentation.add(key, facts, self._representation(key, bitrate, len(presentation.videos)))

    def _representation(self, key: Key, bitrate: float, place: int) -> Representation:
        facts = self._inputs[key[0]].facts[key[1]]
        assert facts is not None
        return Representation(f"v{place}", facts.width, facts.height, round(bitrate))

    def _say_left_out(self, number: int) -> None:
        one = self._inputs[number]
        if not one.is_left_out:
            say(f"{one.name}: its key frames come between those of other inputs: it is left out until they do not")
        one.is_left_out = True

    def _now(self) -> int:
        return round(self._clock.now() * TICKS / 1000)


def run_copy(request: CopyRequest, stop: Event) -> LiveSummary:
    """Copies until all inputs have ended or `stop` is set, then ends the presentation. Raises `PreparationError`."""
    clock = WallClock() if request.speed == 1 else FastClock(request.speed)
    return CopySession(request, clock, stop).run() or LiveSummary(0, 0, 0)
