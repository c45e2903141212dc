"""The manifests of live presentations are valid, and say what players need."""

from dataclasses import replace
from fractions import Fraction

import pytest
from lxml import etree
from mpd_schema import DASH, VOXEL, check_mpd
from voxel_prepare.manifest.live_mpd import (
    Ending,
    Growth,
    LiveAudio,
    LiveEvent,
    LivePresentation,
    LiveTrack,
    LiveVideo,
    date_time,
    write_ended_mpd,
    write_live_mpd,
)
from voxel_prepare.manifest.live_playlists import live_multivariant

REPRESENTATIONS = (
    LiveVideo(LiveTrack("v0", "avc1.640015", 400_000, 15_360), 426, 240, 0.9),
    LiveVideo(LiveTrack("v1", "avc1.64001F", 2_500_000, 15_360), 1280, 720, None),
)
PRESENTATION = LivePresentation(
    Fraction(30), Fraction(1), 5, REPRESENTATIONS, [LiveAudio(LiveTrack("a0", "mp4a.40.2", 128_000, 48_000), 2)]
)
GROWTH = Growth(1_795_000_000_007, 1_795_000_001_000, Fraction(4, 30), 1, 60)
SPACES = {"d": DASH}


def found(mpd: bytes, path: str) -> list[etree._Element]:
    result = etree.fromstring(mpd).xpath(path, namespaces=SPACES)
    assert isinstance(result, list)
    return [element for element in result if isinstance(element, etree._Element)]


def test_a_growing_presentation_is_valid() -> None:
    check_mpd(write_live_mpd(PRESENTATION, GROWTH))


def test_media_time_0_is_the_availability_start_time() -> None:
    mpd = write_live_mpd(PRESENTATION, GROWTH)
    (root,) = found(mpd, "/d:MPD")
    assert root.get("availabilityStartTime") == "2026-11-18T11:06:40.007Z" == date_time(1_795_000_000_007)
    clocks = found(mpd, "//d:ProducerReferenceTime")
    assert [(clock.get("wallClockTime"), clock.get("presentationTime")) for clock in clocks] == [
        (root.get("availabilityStartTime"), "0")
    ] * 2
    assert not found(mpd, "//d:SegmentTemplate[@presentationTimeOffset]")


def test_chunks_are_available_before_their_segment() -> None:
    templates = found(write_live_mpd(PRESENTATION, GROWTH), "//d:SegmentTemplate")
    assert len(templates) == 3
    for template in templates:
        assert template.get("availabilityTimeOffset") == "0.866667"
        assert template.get("availabilityTimeComplete") == "false"
        assert template.get("startNumber") == "5"


def test_records_are_named_and_scores_where_they_are_known() -> None:
    mpd = write_live_mpd(PRESENTATION, GROWTH)
    properties = found(mpd, "//d:Representation/d:SupplementalProperty")
    assert [(each.get("schemeIdUri"), each.get("value")) for each in properties] == [
        ("urn:voxel-dash:live:1", ".vxl")
    ] * 3
    scores = [each.get(f"{{{VOXEL}}}avgSSIM") for each in found(mpd, "//d:Representation")]
    assert scores == ["0.90000", None, None]


SOUNDS = [
    LiveAudio(LiveTrack("a0", "mp4a.40.2", 128_000, 48_000), 2, "eng", "main"),
    LiveAudio(LiveTrack("a1", "mp4a.40.5", 64_000, 24_000), 1, "de-AT", "description"),
]
EVENTS = [LiveEvent(1, 90_000, None, b"\xfc\0"), LiveEvent(7, 1 << 34, 180_000, b"\xfc\1")]


def test_each_sound_has_a_set_with_its_language_and_role() -> None:
    for mpd in (
        write_live_mpd(replace(PRESENTATION, audio=SOUNDS), GROWTH),
        write_ended_mpd(replace(PRESENTATION, audio=SOUNDS), Ending(0, Fraction(3))),
    ):
        check_mpd(mpd)
        sets = found(mpd, "//d:AdaptationSet[@contentType='audio']")
        assert [(one.get("id"), one.get("lang")) for one in sets] == [("1", "eng"), ("2", "de-AT")]
        assert [role.get("value") for one in sets for role in one.iter(f"{{{DASH}}}Role")] == ["main", "description"]


def test_each_sound_is_a_rendition_of_one_group() -> None:
    text = live_multivariant(replace(PRESENTATION, audio=SOUNDS), Fraction(1, 5), "media.m3u8").decode()
    media = [line for line in text.splitlines() if line.startswith("#EXT-X-MEDIA:")]
    assert [('LANGUAGE="eng",DEFAULT=YES' in line, 'LANGUAGE="de-AT",DEFAULT=NO' in line) for line in media] == [
        (True, False),
        (False, True),
    ]
    assert len({line.split("GROUP-ID=")[1].split(",")[0] for line in media}) == 1
    assert text.count('CODECS="avc1.640015,mp4a.40.2,mp4a.40.5"') == 1


def test_events_have_their_cues_as_they_were_sent_and_count_from_what_is_left() -> None:
    presentation = replace(PRESENTATION, events=EVENTS)
    for mpd, offset in (
        (write_live_mpd(presentation, GROWTH), None),
        (write_ended_mpd(presentation, Ending(9, Fraction(7, 2))), "810000"),
    ):
        check_mpd(mpd)
        (stream,) = found(mpd, "/d:MPD/d:Period/d:EventStream")
        assert (stream.get("timescale"), stream.get("presentationTimeOffset")) == ("90000", offset)
        assert [dict(event.attrib) for event in stream] == [
            {"presentationTime": "90000", "id": "1"},
            {"presentationTime": str(1 << 34), "id": "7", "duration": "180000"},
        ]
        assert b"<Binary>/AA=</Binary>" in mpd  # dash.js wants no prefix


@pytest.mark.parametrize("rate", [Fraction(30), Fraction(30_000, 1001), Fraction(24_000, 1001)])
def test_durations_of_segments_are_exact(rate: Fraction) -> None:
    seconds = round(rate) / rate
    presentation = LivePresentation(rate, seconds, 0, REPRESENTATIONS, PRESENTATION.audio)
    for mpd in (write_live_mpd(presentation, GROWTH), write_ended_mpd(presentation, Ending(9, 3 * seconds))):
        check_mpd(mpd)
        for template in found(mpd, "//d:SegmentTemplate"):
            assert Fraction(int(template.get("duration", "0")), int(template.get("timescale", "1"))) == seconds


def test_what_is_left_of_an_ended_presentation_starts_at_0() -> None:
    mpd = write_ended_mpd(PRESENTATION, Ending(9, Fraction(7, 2)))
    check_mpd(mpd)
    (root,) = found(mpd, "/d:MPD")
    assert (root.get("type"), root.get("mediaPresentationDuration")) == ("static", "PT3.5S")
    for template in found(mpd, "//d:SegmentTemplate"):
        assert template.get("startNumber") == "14"
        assert int(template.get("presentationTimeOffset", "0")) == 9 * int(template.get("timescale", "0"))
        assert template.get("availabilityTimeOffset") is None
