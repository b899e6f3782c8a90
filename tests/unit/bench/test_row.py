from hypothesis import given
from hypothesis import strategies as st

from caia_replay.bench.row import Row, median, side_by_side

POSITIVE = st.floats(0.001, 1e6)


@given(POSITIVE, POSITIVE, POSITIVE)
def test_a_limit_is_kept_on_its_own_side(value: float, floor: float, limit: float) -> None:
    """A ratio is judged against its limit: at most, or for a peer at least."""
    ratio = value / floor
    assert Row("x", value, "us", floor, limit).ok == (ratio <= limit)
    assert Row("x", value, "us", floor, limit, at_least=True).ok == (ratio >= limit)
    assert Row("x", value, "us", floor).ok


def test_plain_has_the_agreed_fields() -> None:
    """A row's JSON is name, value, unit, floor, ratio, limit, ok."""
    assert list(Row("x", 3.0, "us", 2.0, 1.5).plain().items()) == [
        ("name", "x"),
        ("value", 3.0),
        ("unit", "us"),
        ("floor", 2.0),
        ("ratio", 1.5),
        ("limit", 1.5),
        ("ok", True),
    ]


def test_subjects_take_turns() -> None:
    """Subjects are measured in turns, each warmed up once and called equally often."""
    seen: list[str] = []
    found = side_by_side({"a": lambda: seen.append("a"), "b": lambda: seen.append("b")}, rounds=2, calls=3)
    assert seen == ["a", "b", *("a" * 3), *("b" * 3), *("a" * 3), *("b" * 3)]
    assert set(found) == {"a", "b"}
    assert median([3.0, 1.0, 2.0]) == 2.0
