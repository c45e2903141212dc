"""`npm run bench -- live-copy`: see lab/bench/live-copy.mjs."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sender import FIRST, PERIOD, TICKS
from watcher import Track, folder_bytes, lateness

SIZES = {"160x90": 100_000, "320x180": 300_000}
"""Sizes of the inputs, with their rates in bit/s; the first has the sound."""
WRAP = 1 << 33
BEFORE_WRAP_SECONDS = 30
JUMP_SECONDS = 100
AWAY_SECONDS = 4
"""How long the encoder is away before it begins anew."""
SAMPLES = 240
LEAST_SAMPLE_SECONDS = 0.5
START_SECONDS = 60
RECORD_PAUSE = 0.1


@dataclass(slots=True)
class Sample:
    """What there is at some time."""

    seconds: float
    """Media time that is there."""
    resident: int
    """Bytes of the program's memory."""
    folder: int
    """Bytes of what it has published."""


@dataclass(slots=True)
class Run:
    """A stream that is copied, and what is seen of it."""

    out: Path
    pipes: list[Path]
    options: argparse.Namespace
    said: Path
    """What the program prints."""
    wrong: list[str] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    encoder: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)

    def begin_encoder(self, *clock: str) -> None:
        """Begins the processes of an encoder with these clocks, one for each input."""
        program = str(Path(__file__).parent / "sender.py")
        pace = ["--real-time"] if self.options.speed == 1 else []
        for place, (pipe, (size, bitrate)) in enumerate(zip(self.pipes, SIZES.items(), strict=True)):
            sound = [] if place else ["--sound"]
            words = [str(pipe), "--size", size, "--bitrate", str(bitrate), *sound, *pace, *clock]
            self.encoder.append(subprocess.Popen([sys.executable, program, *words], stdin=subprocess.DEVNULL))

    def kill_encoder(self) -> None:
        """Ends its processes, like a loss of power."""
        for process in self.encoder:
            process.kill()
            process.wait()
        self.encoder = []

    def await_end(self) -> None:
        """Waits until all is read that an encoder has sent before its end."""
        for process in self.encoder:
            process.wait(START_SECONDS)
        while self.said.read_text().count("has ended") < len(self.encoder):
            time.sleep(RECORD_PAUSE)
        self.encoder = []

    def watch(self, process: "subprocess.Popen[bytes]", until: float) -> None:
        """Looks at what comes up to a media time, in seconds."""
        every = max(LEAST_SAMPLE_SECONDS, 60 * self.options.minutes / SAMPLES)
        pause = max(RECORD_PAUSE, 1 / self.options.speed)
        came = time.monotonic()
        while self.seconds < until:
            if process.poll() is not None:
                raise SystemExit(f"voxel-live has ended with exit code {process.returncode}")
            if sum(track.look() for track in self.tracks):
                came = time.monotonic()
            if time.monotonic() - came > START_SECONDS:
                raise SystemExit(f"nothing has come for {START_SECONDS} s after {self.seconds:.0f} s")
            if not self.samples or self.seconds - self.samples[-1].seconds >= every:
                self.samples.append(Sample(self.seconds, resident_bytes(process.pid), folder_bytes(self.out)))
                print(self._line(), file=sys.stderr, flush=True)
            time.sleep(pause)

    @property
    def seconds(self) -> float:
        """Media time, as far as all tracks are there."""
        return min(track.segments for track in self.tracks)

    def _line(self) -> str:
        now = self.samples[-1]
        flashes, tones = self.moments
        late = [one.seconds for one in lateness(flashes[-3:], tones[-4:]) if one.seconds is not None]
        off = f"tones {1000 * late[-1]:+.1f} ms" if late else "no tone"
        return f"{now.seconds / 60:.1f} min: {now.resident / 1e6:.1f} MB, folder {now.folder / 1e6:.1f} MB, {off}"

    @property
    def moments(self) -> tuple[list[float], list[float]]:
        """Flashes of the first representation, and tones."""
        return self.tracks[0].begins, self.tracks[-1].begins


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--speed", type=float, required=True)
    parser.add_argument("--window", type=float, required=True)
    parser.add_argument("--clock-ppm", type=float, required=True)
    parser.add_argument("--sound-ppm", type=float, required=True)
    options = parser.parse_args()
    with TemporaryDirectory(prefix="live-copy-") as folder:
        print(json.dumps(measure(Path(folder), options)))


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    pipes = [folder / f"{place}.ts" for place in range(len(SIZES))]
    for pipe in pipes:
        os.mkfifo(pipe)
    out = folder / "out"
    said = folder / "said.txt"
    run = Run(out, pipes, options, said)
    run.tracks = [Track(out / name, run.wrong) for name in (*(f"v{place}" for place in range(len(SIZES))), "a0")]
    command = [str(Path(sys.executable).with_name("voxel-live")), "--copy", *map(str, pipes), "--out", str(out)]
    command += ["--window", f"{options.window:g}", *(["--speed", f"{options.speed:g}"] if options.speed != 1 else [])]
    with said.open("wb") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=file)
    seconds = 60 * options.minutes
    try:
        began = time.monotonic()
        ppm, sound = options.clock_ppm, options.sound_ppm
        is_real_time = options.speed == 1
        half = PERIOD * round(seconds / 2 / PERIOD) + PERIOD - 2  # between flashes
        start, jump = WRAP - BEFORE_WRAP_SECONDS * TICKS, JUMP_SECONDS * TICKS
        run.begin_encoder(
            *("--clock-ppm", f"{ppm}", "--sound-ppm", f"{sound}", "--start", f"{start}"),
            *("--jump-at", f"{seconds / 4}", "--jump", f"{jump}"),
            # What a pipe holds is seconds of one input, and less of the other.
            *([] if is_real_time else ["--until", f"{half}"]),
        )
        run.watch(process, half if is_real_time else half - 2)
        if is_real_time:
            run.kill_encoder()
            time.sleep(AWAY_SECONDS)
        else:
            run.await_end()
        run.begin_encoder("--clock-ppm", f"{-ppm}", "--sound-ppm", f"{-sound}", "--start", f"{FIRST}")
        run.watch(process, seconds)
        passed = time.monotonic() - began
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        run.kill_encoder()
    return report(run, passed, process.returncode, said.read_text())


def report(run: Run, passed: float, code: int, said: str) -> dict[str, Any]:
    flashes, tones = run.moments
    late = lateness(flashes, tones)
    return {
        "seconds": run.seconds,
        "passed": passed,
        "exitCode": code,
        "said": said.splitlines()[-12:],
        "late": [[round(one.time, 3), None if one.seconds is None else round(one.seconds, 4)] for one in late],
        "tones": len(tones),
        "stills": max(track.stills for track in run.tracks[:-1]),
        "wrong": run.wrong,
        "samples": [[round(one.seconds), one.resident, one.folder] for one in run.samples],
    }


def resident_bytes(process: int) -> int:
    """Its memory."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return 1024 * int(fields["VmRSS"].split()[0])


if __name__ == "__main__":
    main()
