import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_prepare.errors import InputError
from voxel_prepare.media.ladder import RepresentationName, choose_representations, parse_representations, scaled_size


def sizes(width: int, height: int) -> list[tuple[int, int]]:
    return list(
        dict.fromkeys(
            (representation.width, representation.height) for representation in choose_representations(width, height)
        )
    )


def test_a_2160p_source_gets_the_thirteen_representations_of_the_thesis() -> None:
    representations = choose_representations(3840, 2160)
    assert [representation.bitrate / 1e6 for representation in representations] == [
        *(0.16, 0.23, 0.37, 0.56, 0.75, 1.05, 1.75, 2.35, 3, 4.3, 5.8, 7.4, 10)  # thesis Table 6.2
    ]
    assert [representation.id for representation in representations] == [f"q{index:02}" for index in range(13)]


@pytest.mark.parametrize(
    ("source", "top"),
    [
        ((1920, 1080), (1920, 1080)),
        ((1920, 818), (1920, 818)),  # cinema format: the width decides
        ((640, 480), (640, 480)),  # 4:3: the height decides
        ((768, 432), (640, 360)),
        ((1080, 1920), (1080, 1920)),  # upright
        ((1918, 1078), (1918, 1078)),  # cropped by two lines
        ((1281, 721), (1280, 720)),
        ((1279, 719), (1280, 720)),  # even
    ],
)
def test_the_top_representation_is_the_largest_that_the_source_fills(
    source: tuple[int, int], top: tuple[int, int]
) -> None:
    assert sizes(*source)[-1] == top


@given(st.integers(256, 8000), st.integers(144, 8000), st.sampled_from(["144p", "480p", "1080p"]))
def test_sizes_are_even_not_enlarged_and_keep_the_aspect(width: int, height: int, name: str) -> None:
    size = scaled_size(name, width, height)
    if size is not None:
        assert size[0] % 2 == size[1] % 2 == 0
        assert size[0] <= width + 1 and size[1] <= height + 1
        factor = max(size) / max(width, height)
        assert abs(size[0] - factor * width) <= 2 and abs(size[1] - factor * height) <= 2


def test_names_stand_for_the_bitrates_of_the_thesis_or_for_a_given_one() -> None:
    assert parse_representations("240p, 720p:2.5") == [
        RepresentationName("240p", 0.23),
        RepresentationName("240p", 0.37),
        RepresentationName("720p", 2.5),
    ]


@pytest.mark.parametrize("text", ["", "999p", "720", "720p:", "720p:x", "720p:-1", "720p:nan", "720p:inf", "720p,720p"])
def test_bad_representation_lists_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_representations(text)


def test_representations_above_the_source_are_refused_when_asked_for_by_name() -> None:
    with pytest.raises(InputError, match="720p is larger"):
        choose_representations(640, 360, parse_representations("360p,720p"))


def test_a_source_below_all_representations_is_refused() -> None:
    with pytest.raises(InputError, match="at least the size 144p"):
        choose_representations(64, 64)
