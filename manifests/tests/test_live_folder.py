"""The files of a live representation: MP4 that others read, and growth that survives an interruption."""

import os
import resource
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_vectors import FIRST, HEAD, SECOND
from voxel_prepare.annex_b import nal_units, to_sample
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import InputError, MalformedStream
from voxel_prepare.h264.configuration import to_configuration
from voxel_prepare.isobmff import parse_fragments, parse_track
from voxel_prepare.isobmff.writer import (
    ChunkTimes,
    NewSample,
    VideoEntry,
    audio_init,
    sample_flags,
    video_init,
    write_chunk_boxes,
)
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.resume import end_complete
from voxel_prepare.live.state import lock_folder
from voxel_prepare.manifest.live_records import read_records, write_chunk

AVCC = bytes.fromhex("0164001effe100046764001e01000268ee")

samples = st.lists(
    st.builds(
        NewSample,
        st.binary(min_size=1, max_size=40),
        st.builds(sample_flags, is_sync=st.booleans(), is_reference=st.booleans()),
        st.integers(0, 5000),
        st.integers(0, 2**31),
    ),
    min_size=1,
    max_size=6,
)


@given(samples, st.integers(0, 2**40), st.integers(0, 2**41))
def test_a_chunk_is_read_as_it_was_written(written: list[NewSample], start: int, captured: int) -> None:
    data = write_chunk_boxes(written, ChunkTimes(start, start, captured), 7)
    (fragment,) = parse_fragments(data)
    assert (fragment.start, fragment.end, fragment.sequence) == (0, len(data), 7)
    assert [
        NewSample(data[one.offset : one.offset + one.size], one.flags, one.duration, one.composition_offset)
        for one in fragment.samples
    ] == written
    assert [sample.decode_time for sample in fragment.samples] == [
        *accumulate((sample.duration for sample in written[:-1]), initial=start)
    ]
    assert data[4:8] == b"prft"
    # NTP's seconds begin anew in February 2036.
    ahead = (int.from_bytes(data[16:24], "big") / (1 << 32) - 2_208_988_800 - captured / 1000) % 2**32
    assert min(ahead, 2**32 - ahead) < 1e-3


def test_initialization_segments_say_what_the_track_is() -> None:
    video = parse_track(video_init(VideoEntry("avc1", "avcC", AVCC, 640, 360), 15_360))
    description = video.description
    assert (video.handler, description.width, description.height, video.timescale) == ("vide", 640, 360, 15_360)
    assert description.entry_boxes == {"avcC": AVCC}
    audio = parse_track(audio_init(b"\x11\x90", 2, 48_000))
    assert (audio.handler, audio.description.sample_entry, audio.timescale) == ("soun", "mp4a", 48_000)


def test_start_codes_become_lengths() -> None:
    stream = b"\0\0\0\1\x67\x64\0\x1e\0\0\1\x68\xee\0\0\0\1\x65\x88\x80"
    assert nal_units(stream) == [b"\x67\x64\0\x1e", b"\x68\xee", b"\x65\x88\x80"]
    assert to_sample(b"\0\0\1\x65\x88") == b"\0\0\0\2\x65\x88"
    assert to_configuration(stream)[:6] == b"\x01\x64\0\x1e\xff\xe1"
    with pytest.raises(MalformedStream, match="one SPS and one PPS, found 0 and 1"):
        to_configuration(b"\0\0\1\x68\xee")


def test_the_next_segment_exists_before_it_begins(tmp_path: Path) -> None:
    track = TrackFolder(tmp_path / "v0", HEAD)
    track.write_init(b"init")
    assert track.begin(4) == 0
    assert {path.name for path in track.folder.iterdir()} == {
        *("init.mp4", "4.m4s", "4.m4s.vxl", "5.m4s", "5.m4s.vxl"),
    }
    assert track.records(4).head == HEAD
    assert track.records(5).head is None


def test_a_segment_grows_by_chunks_and_ends(tmp_path: Path) -> None:
    track = TrackFolder(tmp_path, HEAD)
    track.begin(0)
    track.append(bytes(9000), FIRST)
    assert track.begin(0) == 9000
    assert (track.records(0).chunks, track.records(0).length) == ((FIRST,), None)
    track.append(bytes(900), SECOND)
    track.finish()
    assert (track.records(0).length, len(track.media(0))) == (9900, 9900)
    track.begin(1)
    track.close()
    assert track.numbers() == [0]


@pytest.mark.parametrize("lost", [0, 1, 30])
def test_after_an_interruption_complete_chunks_are_left(tmp_path: Path, lost: int) -> None:
    track = TrackFolder(tmp_path, HEAD)
    track.begin(0)
    track.append(bytes(9000), FIRST)
    with (tmp_path / "0.m4s").open("ab") as media:
        media.write(bytes(900))
    with (tmp_path / "0.m4s.vxl").open("ab") as records:
        records.write(write_chunk(SECOND)[:lost])
    again = TrackFolder(tmp_path, HEAD)
    assert again.begin(0) == 9000
    assert len(again.media(0)) == 9000
    again.append(bytes(900), SECOND)
    assert [chunk.range for chunk in again.records(0).chunks] == [ByteRange(0, 9000), ByteRange(9000, 9900)]


@pytest.mark.parametrize("held", [0, 8999, 9000, 9899])
def test_after_a_loss_of_power_records_announce_no_more_than_the_media_hold(tmp_path: Path, held: int) -> None:
    track = TrackFolder(tmp_path, HEAD)
    track.begin(0)
    track.append(bytes(9000), FIRST)
    track.append(bytes(900), SECOND)
    track.finish()
    os.truncate(tmp_path / "0.m4s", held)
    chunks = (FIRST,) if held >= 9000 else ()
    again = TrackFolder(tmp_path, HEAD)
    assert (again.records(0).chunks, again.records(0).length) == (chunks, None)
    assert again.begin(0) == len(again.media(0)) == 9000 * len(chunks)
    assert read_records((tmp_path / "0.m4s.vxl").read_bytes()).chunks == chunks


def test_where_there_is_no_room_for_a_chunk_nothing_of_it_stays(tmp_path: Path) -> None:
    track = TrackFolder(tmp_path, HEAD)
    track.begin(0)
    track.append(bytes(9000), FIRST)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The first write is a short one, as on a disk that is full.
    resource.setrlimit(resource.RLIMIT_FSIZE, (9500, hard))
    try:
        with pytest.raises(OSError, match=r"0\.m4s"):
            track.append(bytes(900), SECOND)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert len(track.media(0)) == 9000
    assert track.records(0).chunks == (FIRST,)
    track.append(bytes(900), SECOND)
    assert track.records(0).chunks == (FIRST, SECOND)


def test_a_segment_is_ended_after_an_interruption_just_before_its_end(tmp_path: Path) -> None:
    track = TrackFolder(tmp_path, HEAD)
    track.begin(0)
    track.append(bytes(9000), FIRST)
    for _ in range(2):
        again = TrackFolder(tmp_path, HEAD)
        end_complete(again, 0)
        end_complete(again, 1)
        assert (again.records(0).length, again.records(1).head) == (9000, None)


def test_old_segments_are_removed(tmp_path: Path) -> None:
    track = TrackFolder(tmp_path, HEAD)
    for number in range(9, 13):
        track.begin(number)
        track.append(bytes(9000), FIRST)
        track.finish()
    track.remove_before(11)
    track.close()
    assert track.numbers() == [11, 12]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_folder_with_files_of_others_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "film").mkdir()
    (tmp_path / "film" / "0.m4s").write_bytes(b"mine")
    with pytest.raises(InputError, match="expected an empty folder or that of a live presentation, found film in it"):
        lock_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["film"]
    lock_folder(tmp_path / "new").close()
    lock_folder(tmp_path / "new").close()


def test_one_encoder_at_a_time_has_a_folder(tmp_path: Path) -> None:
    with lock_folder(tmp_path), pytest.raises(InputError, match="in use by another voxel-live"):
        lock_folder(tmp_path)
    lock_folder(tmp_path).close()
