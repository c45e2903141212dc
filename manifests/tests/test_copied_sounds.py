"""`voxel-live --copy` of inputs with several tracks of sound: each is published, with its language."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import pytest
from clips import ffmpeg
from lxml import etree
from mpd_schema import DASH, check_mpd
from published import check_published, records_of
from test_copied_streams import RATE, SECONDS, copy, samples, sent
from voxel_prepare.live.copied.aac import AacFormat, read_adts
from voxel_prepare.live.copied.notes import SoundFound
from voxel_prepare.live.copied.sounds import MOST_SOUNDS, chosen_sounds

FORMAT = AacFormat(b"\x11\x88", 2, 48_000, 1)
ENGLISH = ("-metadata:s:a:0", "language=eng")
GERMAN = ("-metadata:s:a:1", "language=deu", "-disposition:a:1", "visual_impaired")


def make_stream(path: Path, frequencies: Sequence[int], *options: str) -> Path:
    """A tone for each frequency beside the pictures."""
    tones = [f"sine=frequency={frequency}:sample_rate=48000:duration={SECONDS}" for frequency in frequencies]
    inputs = [word for tone in tones for word in ("-f", "lavfi", "-i", tone)]
    maps = [word for number in range(len(tones) + 1) for word in ("-map", str(number))]
    coded = ("-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", str(RATE), "-sc_threshold", "0")
    picture = f"testsrc2=size=160x90:rate={RATE}:duration={SECONDS}"
    ffmpeg("-f", "lavfi", "-i", picture, *inputs, *maps, *coded, "-c:a", "aac", *options, "-f", "mpegts", path)
    return path


def sounds_sent(path: Path, place: int) -> list[tuple[Fraction, bytes]]:
    """When each frame of a track is heard, in seconds, and its bytes without a header."""
    found = []
    with av.open(str(path)) as container:
        for packet in container.demux(container.streams.audio[place]):
            if packet.pts is not None and (frame := read_adts(bytes(packet))) is not None:
                found.append((Fraction(packet.pts) * Fraction(packet.time_base), frame[1]))
    return found


def sound_sets(folder: Path) -> list[tuple[str | None, list[str | None], list[str | None]]]:
    """Language, roles and representations of each set of sound in the manifest."""
    manifest = etree.parse(folder / "manifest.mpd").getroot()
    return [
        (
            each.get("lang"),
            [role.get("value") for role in each.iterchildren(f"{{{DASH}}}Role")],
            [one.get("id") for one in each.iterchildren(f"{{{DASH}}}Representation")],
        )
        for each in manifest.iter(f"{{{DASH}}}AdaptationSet")
        if each.get("contentType") == "audio"
    ]


def test_each_track_of_sound_is_published_as_it_was_sent(tmp_path: Path) -> None:
    stream = make_stream(tmp_path / "in.ts", (440, 880), *ENGLISH, *GERMAN)
    out = tmp_path / "out"
    copy(out, stream)
    check_mpd(out / "manifest.mpd")
    assert sound_sets(out) == [("eng", ["main"], ["a0"]), ("deu", ["description"], ["a1"])]
    pictures = sent(stream)[0][0]
    for place in range(2):
        check_published(out / f"a{place}")
        assert list(records_of(out / f"a{place}")) == list(range(SECONDS))
        wanted = [data for time, data in sounds_sent(stream, place) if time - pictures >= -1 / 48_000]
        assert [data for _, data in samples(out / f"a{place}")] == wanted


def test_a_sound_alone_has_no_role(tmp_path: Path) -> None:
    copy(tmp_path / "out", make_stream(tmp_path / "in.ts", (440,), *ENGLISH))
    assert sound_sets(tmp_path / "out") == [("eng", [], ["a0"])]


def test_what_another_input_has_alone_is_taken_too(tmp_path: Path) -> None:
    first = make_stream(tmp_path / "0.ts", (440,), *ENGLISH)
    second = make_stream(tmp_path / "1.ts", (440, 880), *ENGLISH, *GERMAN[:2])
    copy(tmp_path / "out", first, second)
    assert sound_sets(tmp_path / "out") == [("eng", ["main"], ["a0"]), ("deu", ["alternate"], ["a1"])]
    check_published(tmp_path / "out" / "a1")


def found(*languages: str) -> dict[int, SoundFound]:
    return {track: SoundFound(FORMAT, track, language) for track, language in enumerate(languages)}


@pytest.mark.parametrize(
    ("inputs", "chosen"),
    [
        ([found(), found()], []),
        ([found("und"), found("und"), found("und")], [(0, 0)]),
        ([found(), found("eng", "eng")], [(1, 0), (1, 1)]),
        ([found("eng"), found("eng", "deu"), found("deu", "fra")], [(0, 0), (1, 1), (2, 1)]),
        ([found(*"abcdefghijkl")], [(0, track) for track in range(MOST_SOUNDS)]),
    ],
)
def test_what_inputs_share_is_published_once(
    inputs: Sequence[dict[int, SoundFound]], chosen: list[tuple[int, int]]
) -> None:
    assert list(chosen_sounds(inputs)) == chosen
