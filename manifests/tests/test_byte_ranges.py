from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges, complement, merged

WHOLE = ByteRange(0, 60)
ranges = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda ends: ByteRange(min(ends), max(ends))), max_size=8
)


def covered(of: list[ByteRange]) -> set[int]:
    return {byte for range_ in of for byte in range(*range_)}


@given(ranges)
def test_merging_keeps_the_bytes_in_file_order_without_touching_ranges(some: list[ByteRange]) -> None:
    result = merged(some)
    assert covered(result) == covered(some)
    assert all(one.end < other.start for one, other in pairwise(result))


@given(ranges)
def test_ranges_and_their_complement_partition_the_whole(some: list[ByteRange]) -> None:
    rest = complement(WHOLE, some)
    assert covered(rest) == set(range(*WHOLE)) - covered(some)
    assert rest == merged(rest)


@given(ranges, st.integers(0, 60), st.integers(0, 60))
def test_contains_says_whether_every_byte_is_here(some: list[ByteRange], start: int, end: int) -> None:
    assert ReceivedRanges(some).contains(start, end) == (set(range(start, end)) <= covered(some))


def test_ranges_are_written_with_both_ends_inclusive() -> None:
    assert str(ByteRange(10, 20)) == "10-19"
