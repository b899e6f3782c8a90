import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.retry_after import LONGEST_PAUSE_S, pause_s, retry_after_s

NOW = 1_744_356_371  # Fri, 11 Apr 2025 07:26:11 GMT
LATER = "Fri, 11 Apr 2025 07:27:41 GMT"


@pytest.mark.parametrize("status", [200, 301, 401, 402, 403, 404, 500, 502])
def test_other_answers_are_kept(status):
    """Only 429 and 503 say that the same question may be answered later."""
    assert pause_s(status, {"retry-after": "5"}, 1, NOW) is None


@pytest.mark.parametrize(
    "headers, pause",
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 0 "}, 0),
        ({"retry-after": LATER}, 90),
        ({"retry-after": LATER, "date": "Fri, 11 Apr 2025 07:27:40 GMT"}, 1),
        ({"retry-after": "Fri, 11 Apr 2025 07:00:00 GMT"}, 0),
        ({"retry-after": "Friday, 11-Apr-25 07:27:41 GMT"}, 90),
        ({"retry-after": "9" * 400}, LONGEST_PAUSE_S),
        ({}, 4),
        ({"retry-after": "soon"}, 4),
        ({"retry-after": "-3"}, 4),
        ({"retry-after": "\u0663"}, 4),
        ({"retry-after": "Fri, 99 Apr 2025 07:27:41 GMT"}, 4),
    ],
)
def test_retry_after_is_read_in_both_forms(headers, pause):
    """Seconds, or a date against the answer's own or else the given moment; unreadable ones count as missing."""
    assert pause_s(429, headers, 3, NOW) == pause


@given(st.text(max_size=40), st.text(max_size=40), st.integers(1, 10_000))
def test_any_header_gives_a_bounded_pause(told, date, attempt):
    """Whatever a server sends, the pause is a whole number of seconds between none and an hour."""
    pause = pause_s(503, {"retry-after": told, "date": date}, attempt, NOW)
    assert isinstance(pause, int) and 0 <= pause <= LONGEST_PAUSE_S


def test_what_is_told_is_not_shortened():
    """The bare reading has no bound of its own, and says None where there is nothing to read."""
    assert retry_after_s({"retry-after": "9" * 40}, NOW) == 999_999_999
    assert retry_after_s({"retry-after": "1.5"}, NOW) is None
    assert retry_after_s({"retry-after": "Fri, 11 Apr 2025 07:27:41 -0000"}, NOW) == 90


def test_pauses_double():
    """Without a word from the server each pause is twice the one before."""
    assert [pause_s(503, {}, attempt, NOW) for attempt in (1, 2, 3, 4)] == [1, 2, 4, 8]
