"""`voxel-live --copy --speed`: a clock that goes faster, waits for those who work, and paces files and pipes."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from published import check_published, records_of
from test_copied_streams import SECONDS, TRACKS, copy, make_streams, samples, sent
from voxel_prepare.live import clock as clocks
from voxel_prepare.live.clock import FastClock, WallClock
from voxel_prepare.live.copied.pace import AHEAD_SECONDS, FINE_SECONDS, Pace


class Stopwatch:
    """A time that is set."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Stopwatch:
    watch = Stopwatch()
    monkeypatch.setattr(clocks, "monotonic", watch)
    return watch


@pytest.fixture
def passed(watch: Stopwatch) -> Callable[[WallClock, float], float]:
    """How far a clock goes while seconds pass, in ms."""

    def passed(clock: WallClock, seconds: float) -> float:
        before = clock.now()
        watch.seconds += seconds
        return clock.now() - before

    return passed


def test_a_fast_clock_goes_so_many_times_as_fast(passed: Callable[[WallClock, float], float]) -> None:
    assert passed(FastClock(20), 2) == pytest.approx(40_000)


def test_it_stands_still_where_somebody_holds_it_and_goes_on_from_there(
    passed: Callable[[WallClock, float], float],
) -> None:
    clock = FastClock(10)
    now = clock.now()
    clock.hold("reader", now + 500)
    clock.hold("other", now + 300)
    assert passed(clock, 1) == pytest.approx(300)
    clock.hold("other", None)
    assert passed(clock, 1) == pytest.approx(200)
    clock.hold("reader", now)  # it does not go back
    assert passed(clock, 1) == 0
    clock.hold("reader", None)
    assert passed(clock, 1) == pytest.approx(10_000)


def test_the_time_of_day_waits_for_nobody(passed: Callable[[WallClock, float], float]) -> None:
    clock = WallClock()
    clock.hold("reader", clock.now())
    assert passed(clock, 1) == pytest.approx(1000)


class Waiting(WallClock):
    """A clock that goes on when somebody waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0
        self.held = 0.0

    def now(self) -> float:
        return self.time

    def hold(self, holder: object, until: float | None) -> None:
        self.held = until or 0.0

    def wait(self, stop: Event, until: float) -> None:
        self.time = max(self.time, until)


def test_a_file_is_read_a_second_before_its_time() -> None:
    clock = Waiting()
    pace = Pace(clock, Event(), is_file=True)
    for place in range(251):
        pace.read(7 + place / 25)
    assert clock.time == pytest.approx(10_000 - 1000 * AHEAD_SECONDS)
    assert clock.held == pytest.approx(clock.time + 1000 * FINE_SECONDS)


def test_a_hole_of_a_file_takes_its_time_and_that_of_a_pipe_has_taken_it() -> None:
    waited = []
    for is_file in (True, False):
        clock = Waiting()
        pace = Pace(clock, Event(), is_file=is_file)
        for place in range(251):
            pace.read(place / 25 + (2 if place > 125 else 0))
        waited.append(clock.time)
    assert waited == pytest.approx([12_000 - 1000 * AHEAD_SECONDS, 10_000 - 40 - 1000 * AHEAD_SECONDS])


@pytest.mark.parametrize("is_file", [True, False])
@pytest.mark.parametrize("jump", [-90.0, 90.0])
def test_an_input_whose_clock_jumps_goes_on_without_a_pause(jump: float, is_file: bool) -> None:
    """Who waited for its new time would hold back an encoder that writes to the pipe."""
    clock = Waiting()
    pace = Pace(clock, Event(), is_file=is_file)
    for place in range(251):
        pace.read(100 + place / 25 + (jump if place > 125 else 0))
    assert clock.time == pytest.approx(10_000 - 40 - 1000 * AHEAD_SECONDS)


def test_files_are_copied_faster_than_they_play_to_the_same(tmp_path: Path) -> None:
    streams = make_streams(tmp_path)
    copy(tmp_path / "out", "--speed", "50", *streams)
    for number, name in enumerate(TRACKS):
        check_published(tmp_path / "out" / name)
        assert list(records_of(tmp_path / "out" / name)) == list(range(SECONDS))
        assert [data for _, data in samples(tmp_path / "out" / name)] == [data for _, data in sent(streams[number])]
