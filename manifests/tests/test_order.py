from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.h264 import SliceType
from voxel_prepare.order import unreferenced_last
from voxel_prepare.segment_layout import Frame


def test_referenced_p_then_referenced_b_then_the_rest_and_never_what_is_reliable() -> None:
    kinds: list[tuple[SliceType, bool]] = [
        ("I", True),
        ("P", True),
        ("B", True),
        ("B", False),
        ("P", False),
        ("P", True),
        ("B", True),
    ]
    frames = [
        Frame(index, type_, is_reference, index, () if type_ == "I" else (ByteRange(0, 1),))
        for index, (type_, is_reference) in enumerate(kinds)
    ]
    assert unreferenced_last(frames) == [1, 5, 2, 6, 3, 4]
