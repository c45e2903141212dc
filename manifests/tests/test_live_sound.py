"""Where a running encoder puts sound, whatever the machine's load: times are given here."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from av.audio.frame import AudioFrame
from sounds import loud_spans
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.sound import FRAME_SAMPLES, SAMPLE_RATE, SLACK_SAMPLES, SoundWriter, open_folder
from voxel_prepare.live.timeline import Timeline

TIMELINE = Timeline(1_795_000_000_000, Fraction(25), 25, 0)


class Writer:
    """Writes tones, and says when they are heard."""

    def __init__(self, folder: Path) -> None:
        self.folder = TrackFolder(folder, record_head(SAMPLE_RATE))
        open_folder(self.folder)
        self.captured: list[int] = []
        self.writer = SoundWriter(self.folder, TIMELINE, Fraction(1, 5), 0, 0, self.captured.append)

    def tone(self, start: float, frames: int) -> float:
        """So many frames of a tone from a media time on; when it ends."""
        for number in range(frames):
            times = (np.arange(FRAME_SAMPLES) + number * FRAME_SAMPLES) / SAMPLE_RATE
            samples = np.tile(np.sin(2000 * times), (2, 1)).astype(np.float32)
            frame = AudioFrame.from_ndarray(samples, format="fltp", layout="stereo")
            frame.sample_rate = SAMPLE_RATE
            self.writer.add(frame, start + number * FRAME_SAMPLES / SAMPLE_RATE)
        return start + frames * FRAME_SAMPLES / SAMPLE_RATE

    def heard(self) -> list[tuple[float, float]]:
        self.writer.finish(0)
        return loud_spans(self.folder.folder)


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path / "a0")


def close_to(*spans: tuple[float, float]) -> list[object]:
    """Within an AAC frame and what sound may be early or late."""
    tolerance = (FRAME_SAMPLES + SLACK_SAMPLES) / SAMPLE_RATE
    return [pytest.approx(span, abs=tolerance) for span in spans]


def test_sound_is_heard_at_its_time_after_silence(writer: Writer) -> None:
    end = writer.tone(2.0, 66)
    writer.writer.fill(end + 0.5)
    assert writer.heard() == close_to((2.0, end))
    assert writer.captured == sorted(writer.captured)
    assert writer.folder.numbers()[:4] == [0, 1, 2, 3]


def test_the_last_picture_has_sound(writer: Writer) -> None:
    writer.tone(0.2, 10)
    writer.writer.finish(2.04)
    assert [bool(writer.folder.records(number).length) for number in writer.folder.numbers()] == [True] * 3


def test_what_comes_too_late_is_left_out_and_the_rest_keeps_its_time(writer: Writer) -> None:
    middle = writer.tone(0.5, 40)
    writer.writer.fill(middle + 0.3)
    end = writer.tone(middle, 60)
    writer.writer.fill(end + 0.5)
    assert writer.heard() == close_to((0.5, middle), (middle + 0.3, end))
