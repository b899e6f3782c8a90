from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput, Miss, WallLimit, nearest, one_line


@given(st.text(max_size=2000))
def test_one_line_never_breaks(text: str) -> None:
    """Any text becomes one printable line of at most 600 characters."""
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert len(line) <= 600
    assert line.isprintable()


@given(st.text(), st.text(), st.text())
def test_bad_input_is_one_line_whatever_it_holds(what: str, where: str, next_command: str) -> None:
    """A BadInput shows as one line even when file names and messages hold line breaks."""
    assert len(str(BadInput(what, where=where, next_command=next_command)).splitlines()) <= 1


def test_a_miss_keeps_its_nearest_out_of_its_text() -> None:
    """What a miss says to anyone does not name what is recorded: that could betray an answer."""
    miss = Miss("page", "https://a.example/x", "world w", nearest="https://a.example/secret")
    assert "secret" not in str(miss)
    assert miss.detail.nearest == "https://a.example/secret"


def test_nearest_finds_a_typing_slip_and_nothing_for_noise() -> None:
    """The nearest match is a known name that resembles the wish, or empty."""
    assert nearest("block_qery", ["block_query", "web_search"]) == "block_query"
    assert nearest("zzzz", ["block_query"]) == ""


def test_a_limit_of_real_time_says_what_ran_and_how_long() -> None:
    """The length is told as people write it."""
    assert str(WallLimit("the SQL", 0.25)) == "the SQL took longer than 0.25 s"
    assert (str(WallLimit("x", 20.0)), WallLimit("x", 20).limit_s) == ("x took longer than 20 s", 20)
