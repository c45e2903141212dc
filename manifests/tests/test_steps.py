from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.steps import REFERENCED_STEPS, UNREFERENCED_STEPS, choose_prefixes

sizes = st.lists(st.integers(1, 10_000), max_size=150)


@given(sizes, sizes)
def test_prefixes_ascend_from_none_over_all_referenced_to_all(referenced: list[int], unreferenced: list[int]) -> None:
    prefixes = choose_prefixes(referenced, unreferenced)
    assert prefixes == sorted(set(prefixes))
    assert prefixes[0] == 0
    assert prefixes[-1] == len(referenced) + len(unreferenced)
    assert len(referenced) in prefixes


@given(sizes, sizes)
def test_there_are_as_many_steps_as_wanted_or_as_there_are_frames(
    referenced: list[int], unreferenced: list[int]
) -> None:
    wanted = REFERENCED_STEPS + UNREFERENCED_STEPS
    assert len(choose_prefixes(referenced, unreferenced)) == 1 + min(wanted, len(referenced) + len(unreferenced))


def test_steps_are_about_equal_in_bytes() -> None:
    assert choose_prefixes([100] * 50, [10] * 50) == [0, 13, 25, 38, 50, 60, 70, 80, 90, 100]
