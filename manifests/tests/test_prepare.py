"""Whole preparations of small clips."""

import hashlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import av
import numpy as np
import pytest
from av.audio.codeccontext import AudioCodecContext
from clips import TONE_START_SECONDS, ffmpeg, make_clip
from manifest_reader import Representation, read_manifest
from processes import parts, visible
from runs import make_request
from voxel_prepare.byte_ranges import merged
from voxel_prepare.errors import InputError
from voxel_prepare.isobmff import parse_track
from voxel_prepare.jobs.plan import make_plan
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.jobs.workspace import WORK_FOLDER
from voxel_prepare.media import recipes
from voxel_prepare.media.ladder import parse_representations


def video(folder: Path) -> list[Representation]:
    return [representation for representation in read_manifest(folder) if representation.content_type == "video"]


def test_representations_and_segments_are_as_asked(prepared: Path) -> None:
    representations = video(prepared)
    assert [
        (representation.attributes["id"], representation.attributes["width"]) for representation in representations
    ] == [("q00", "256"), ("q01", "426")]
    media = {f"{id_}.{kind}" for id_ in ("q00", "q01") for kind in ("mp4", "index", "m3u8")}
    assert parts(prepared) == {"manifest.mpd", "master.m3u8", *media}
    assert all(
        representation.segment_seconds == 2 and len(representation.segments) == 3 for representation in representations
    )


def test_segments_follow_the_initialization_without_a_gap(prepared: Path) -> None:
    for representation in video(prepared):
        ranges = [representation.initialization, *(segment.media_range for segment in representation.segments)]
        assert ranges[0].start == 0
        assert all(one.end == other.start for one, other in pairwise(ranges))
        assert ranges[-1].end == representation.media.stat().st_size


def test_reliable_and_unreliable_ranges_partition_every_segment(prepared: Path) -> None:
    for segment in (segment for representation in video(prepared) for segment in representation.segments):
        together = sorted([*segment.reliable, *segment.unreliable])
        assert all(one.end == other.start for one, other in pairwise(together))
        assert merged(together) == [segment.media_range]
        assert segment.reliable == merged(segment.reliable)
        assert segment.reliable_size == sum(range_.size for range_ in segment.reliable)


def test_the_two_slices_of_a_frame_stand_side_by_side(prepared: Path) -> None:
    segment = video(prepared)[1].segments[0]
    frames = segment.steps[-1][1]
    assert len(segment.unreliable) > frames  # some frames have two
    starts = [range_.start for range_ in segment.unreliable]
    track = parse_track(video(prepared)[1].media.read_bytes())
    samples = [
        next(
            index
            for index, sample in enumerate(track.fragments[0].samples)
            if sample.offset <= start < sample.offset + sample.size
        )
        for start in starts
    ]
    runs = 1 + sum(one != other for one, other in pairwise(samples))
    assert runs == len(set(samples)) == frames


def test_steps_ascend_from_nothing_to_everything_on_range_boundaries(prepared: Path) -> None:
    for segment in (segment for representation in video(prepared) for segment in representation.segments):
        boundaries = {0, *np.cumsum([range_.size for range_ in segment.unreliable])}
        assert len(segment.steps) >= 8
        assert segment.steps[0][1:] == (0, 0)
        assert segment.steps[-1][2] == sum(range_.size for range_ in segment.unreliable)
        assert all(one[1] < other[1] and one[2] < other[2] for one, other in pairwise(segment.steps))
        assert all(step[2] in boundaries for step in segment.steps)


def test_the_top_representation_is_perfect_and_averages_are_those_of_the_untouched_segments(prepared: Path) -> None:
    low, top = video(prepared)
    assert {segment.steps[-1][0] for segment in top.segments} == {1.0}
    assert float(top.attributes["avgSSIM"]) == 1
    mean = fmean(segment.steps[-1][0] for segment in low.segments)
    assert float(low.attributes["avgSSIM"]) == pytest.approx(mean, abs=1e-5)


def test_each_segment_starts_with_its_only_key_frame_and_the_first_picture_is_shown_at_0(prepared: Path) -> None:
    for representation in video(prepared):
        fragments = parse_track(representation.media.read_bytes()).fragments
        assert [len(fragment.samples) for fragment in fragments] == [50, 50, 25]
        for fragment in fragments:
            assert [sample.is_sync for sample in fragment.samples] == [True, *[False] * (len(fragment.samples) - 1)]
        shown = sorted(sample.presentation_time for sample in fragments[0].samples)
        assert shown[0] == 0


def test_files_play_to_the_end_in_an_ordinary_decoder(prepared: Path) -> None:
    for representation in video(prepared):
        ffmpeg("-xerror", "-err_detect", "explode", "-i", representation.media, "-f", "null", "-")


@pytest.mark.parametrize("media", ["encode", "copy"])
def test_sound_starts_with_the_video_and_is_segmented_like_it(sound_clip: Path, tmp_path: Path, media: str) -> None:
    prepare(make_request(sound_clip, out=tmp_path, media=media))
    picture, sound = read_manifest(tmp_path)
    assert sound.content_type == "audio"
    assert sound.attributes["codecs"] == "mp4a.40.2"
    assert len(sound.segments) == len(picture.segments) == 3
    track = parse_track(sound.media.read_bytes())
    for index, fragment in enumerate(track.fragments):
        frame_seconds = 1024 / 48000
        assert abs(fragment.base_decode_time / track.timescale - index * sound.segment_seconds) <= frame_seconds
    assert decoded_tone_start(sound) == pytest.approx(TONE_START_SECONDS, abs=0.005)


def decoded_tone_start(sound: Representation) -> float:
    """Seconds from the first decoded sample, priming included as in a browser, to the first loud one."""
    data = sound.media.read_bytes()
    with av.open(str(sound.media)) as container:
        decoder_configuration = container.streams.audio[0].codec_context.extradata
    decoder = AudioCodecContext.create("aac", "r")
    decoder.extradata = decoder_configuration
    decoder.sample_rate, decoder.layout = 48000, "mono"
    samples = [sample for fragment in parse_track(data).fragments for sample in fragment.samples]
    packets = [av.Packet(data[sample.offset : sample.offset + sample.size]) for sample in samples]
    waves = [frame.to_ndarray()[0] for packet in packets for frame in decoder.decode(packet)]
    return int(np.argmax(np.abs(np.concatenate(waves)) > 0.5)) / 48000


def test_an_excerpt_starts_and_ends_where_asked(clip: Path, tmp_path: Path) -> None:
    prepare(
        make_request(clip, out=tmp_path, start=1.0, duration=3.0, representations=tuple(parse_representations("144p")))
    )
    (representation,) = video(tmp_path)
    fragments = parse_track(representation.media.read_bytes()).fragments
    assert [len(fragment.samples) for fragment in fragments] == [50, 25]


def test_two_passes_and_upright_pictures_work(tmp_path: Path) -> None:
    upright = make_clip(tmp_path / "clip.mp4", size="180x320", seconds=1)
    prepare(make_request(upright, out=tmp_path / "out", passes=2))
    (representation,) = video(tmp_path / "out")
    assert (representation.attributes["width"], representation.attributes["height"]) == ("144", "256")


def test_a_second_run_makes_nothing_again(prepared: Path, clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (prepared / "manifest.mpd").read_bytes()
    monkeypatch.setattr(recipes, "encode_video", fail)
    monkeypatch.setattr("voxel_prepare.jobs.prepare.analyse_representations", expect_no_jobs)
    prepare(make_request(clip, out=prepared, slices=2, representations=tuple(parse_representations("144p,240p:0.37"))))
    assert (prepared / "manifest.mpd").read_bytes() == before


def test_an_analysis_that_cannot_be_read_is_made_again(clip: Path, tmp_path: Path) -> None:
    quick = make_request(clip, out=tmp_path, duration=1.0, representations=tuple(parse_representations("144p")))
    prepare(quick)
    (analysis,) = (tmp_path / WORK_FOLDER).glob("*-q00.json")
    before = analysis.read_bytes()
    for damaged in (b'[{"of": "another form"}]', before[:-1]):
        analysis.write_bytes(damaged)
        prepare(quick)
        assert analysis.read_bytes() == before


def test_a_representation_encoded_by_another_number_of_threads_is_another_part(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = make_plan(make_request(clip, out=tmp_path)).video[0].part
    monkeypatch.setattr("voxel_prepare.media.encoders.PIXELS_PER_ENCODER_THREAD", 9999)
    assert make_plan(make_request(clip, out=tmp_path)).video[0].part.key != one.key


def fail(*_: object, **__: object) -> None:
    raise AssertionError("nothing was left to do")


def expect_no_jobs(_workspace: object, jobs: Sequence[object], *_: object) -> None:
    assert jobs == []


def test_copied_representations_keep_every_picture_and_are_scored(clip: Path, tmp_path: Path) -> None:
    high = make_clip(tmp_path / "high.mp4", "-x264-params", "open-gop=0", seconds=3)
    low = make_clip(tmp_path / "low.mp4", "-vf", "scale=160:90", "-profile:v", "baseline", seconds=3)
    prepare(make_request(high, low, out=tmp_path / "out", media="copy"))
    representations = video(tmp_path / "out")
    assert [representation.attributes["width"] for representation in representations] == ["160", "320"]
    for representation, original in zip(representations, (low, high), strict=True):
        assert frame_hashes(representation.media) == frame_hashes(original)
        assert all(len(segment.steps) >= 8 for segment in representation.segments)


def frame_hashes(path: Path) -> list[str]:
    lines = ffmpeg("-i", path, "-f", "framemd5", "-").splitlines()
    return [line.split(",")[-1] for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("-g", "40"), "expected a key frame at 2 s"),
        (("-x264-params", "open-gop=1:bframes=3:b-adapt=0"), "open GOP"),
        (("-r", "24"), "expected 24 frames/s"),
        (("-t", "4"), r"the same number of frames, found 100 in \S+other.mp4, 125 in \S+one.mp4"),
        (("-c:v", "mpeg4"), "VP9 or AV1 video only"),
    ],
)
def test_inputs_that_do_not_fit_together_are_refused(tmp_path: Path, options: tuple[str, ...], reason: str) -> None:
    inputs = make_clip(tmp_path / "one.mp4"), make_clip(tmp_path / "other.mp4", *options)
    with pytest.raises(InputError, match=reason):
        prepare(make_request(*inputs, out=tmp_path / "out", media="copy"))


def test_what_cannot_be_repaired_is_completely_reliable_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Here, as all-skip slices are for 4:2:0 only, and there are no B frames to remove."""
    clip = make_clip(tmp_path / "clip.mp4", "-pix_fmt", "yuv444p", "-bf", "0", seconds=2)
    prepare(make_request(clip, out=tmp_path / "out", media="copy"))
    (representation,) = video(tmp_path / "out")
    for segment in representation.segments:
        assert segment.unreliable == []
        assert segment.reliable == [segment.media_range]
        assert segment.steps == [(1.0, 0, 0)]
    reason = "q00: 1 segments cannot be repaired and stay completely reliable: every frame is needed by another"
    assert f"warning: {reason}" in capsys.readouterr().err


def test_names_change_with_the_content_only(clip: Path, tmp_path: Path) -> None:
    quick = {"duration": 1.0, "representations": tuple(parse_representations("144p"))}
    prepare(make_request(clip, out=tmp_path, **quick))
    first = visible(tmp_path)
    unhashed = {"manifest.mpd", "master.m3u8"}
    for name in first - unhashed:
        assert name.split(".")[1] == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()[:12]

    touched = tmp_path / "clip.mp4"
    touched.write_bytes(clip.read_bytes())  # another source with the same pictures is encoded again
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in first - unhashed}
    prepare(make_request(touched, out=tmp_path, **quick, replace=True))
    assert visible(tmp_path) - {"clip.mp4"} == first
    assert before == {name: (tmp_path / name).stat().st_mtime_ns for name in before}

    prepare(make_request(clip, out=tmp_path, **quick, slices=2, replace=True))
    second = visible(tmp_path) - {"clip.mp4"}
    assert second > first
    assert {representation.media.name for representation in read_manifest(tmp_path)} <= second - first


def test_an_input_is_never_overwritten(clip: Path, tmp_path: Path) -> None:
    own = tmp_path / "q00.mp4"
    own.write_bytes(clip.read_bytes())
    prepare(make_request(own, out=tmp_path, duration=1.0, representations=tuple(parse_representations("144p"))))
    assert own.read_bytes() == clip.read_bytes()
    (published,) = video(tmp_path)
    with pytest.raises(InputError, match="must not overwrite"):
        prepare(make_request(published.media, out=tmp_path, media="copy", replace=True))
