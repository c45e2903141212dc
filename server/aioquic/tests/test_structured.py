import pytest
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.structured import parse_inner_list, parse_item, parse_strings


@pytest.mark.parametrize(
    ("text", "value", "parameters"),
    [
        ("?1", True, {}),
        ("?0", False, {}),
        ("?1;flow=17", True, {"flow": 17}),
        ("?1; flow=-3;a;b=?0", True, {"flow": -3, "a": True, "b": False}),
        ('?1;note="a;flow=1 \\"x\\"";flow=2', True, {"note": 'a;flow=1 "x"', "flow": 2}),
        ("token;flow=1;flow=2", "token", {"flow": 2}),
        (" 12 ", 12, {}),
    ],
)
def test_items_are_read_with_their_parameters(text: str, value: object, parameters: dict[str, object]) -> None:
    assert parse_item(text) == (value, parameters)


@pytest.mark.parametrize("text", ["", "?2", ";flow=1", "?1;Flow=1", "?1;flow=", "?1,?1", "?1;flow=١", '"open', "?1 x"])
def test_malformed_items_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="malformed"):
        parse_item(text)


def test_inner_lists_are_read_with_their_parameters() -> None:
    assert parse_inner_list(' ( 12 a;b "c d" );e=1;f\t') == ([12, "a", "c d"], {"e": 1, "f": True})
    assert parse_inner_list("()") == ([], {})


@pytest.mark.parametrize(
    "text", ["", "1", "(", "(1", "1)", "(1)2", "(1)(2)", "(1), (2)", "((1))", "(1,2)", "(1 2 )x", "(1?1)"]
)
def test_what_is_no_inner_list_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="malformed"):
        parse_inner_list(text)


def test_the_strings_of_a_list_keep_their_order_and_lose_their_parameters() -> None:
    assert parse_strings('"voxel-2";q=1, "vox\\"el" , token, 5, ?1') == ["voxel-2", 'vox"el']


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (parse_inner_list, parse_item, parse_strings):
        try:
            parse(text)
        except ValueError as error:
            assert str(error) == "malformed structured field"
