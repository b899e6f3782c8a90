"""How many requests an endpoint is sent at once."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.model import Usage
from caia_replay.errors import Interrupted
from caia_replay.models.request_limit import FIRST, MOST, OVERLOADED, Allowance, Pace, RequestLimit

LOADED = min(OVERLOADED)


def asked_together(limit: RequestLimit, bears: int) -> int:
    """As many requests as the limit allows, under way together; those that the endpoint does not bear are refused."""
    with ExitStack() as under_way:
        turns = [under_way.enter_context(limit.request()) for _ in range(limit.limit)]
        for number, turn in enumerate(turns):
            turn.answered(200 if number < bears else LOADED)
    return len(turns)


@given(st.integers(1, 150))
def test_it_settles_near_what_an_endpoint_bears(bears: int) -> None:
    """Within a fifth of the best fixed number, or a few requests, on the average of many rounds."""
    limit = RequestLimit()
    for _ in range(40):
        asked_together(limit, bears)
    rounds = [asked_together(limit, bears) for _ in range(200)]
    assert 0.8 * bears - 1 <= sum(rounds) / len(rounds) <= 1.2 * bears + 1


def test_it_doubles_up_to_the_most_while_all_is_answered() -> None:
    """From twenty, and never past two hundred; each of several processes has its part of both."""
    for share in (1, 4):
        limit = RequestLimit(share=share)
        rounds = [asked_together(limit, MOST) for _ in range(8)]
        assert rounds[:2] == [FIRST // share, 2 * FIRST // share] and rounds[-1] == MOST // share


def test_requests_of_one_moment_make_it_fall_once() -> None:
    """However many of them are refused: the others were sent before it fell."""
    limit = RequestLimit()
    assert asked_together(limit, 0) == FIRST and limit.limit == int(FIRST * 0.8)


def test_what_is_not_used_does_not_grow() -> None:
    """A single thread never finds out what an endpoint bears."""
    limit = RequestLimit()
    for _ in range(100):
        with limit.request() as turn:
            turn.answered(200)
    assert limit.limit == FIRST


@pytest.mark.parametrize("status", [200, LOADED])
def test_a_fixed_number_stays(status: int) -> None:
    """Whatever the endpoint says; at least one for each process."""
    for limit, wanted in ((RequestLimit(7), 7), (RequestLimit(2, share=8), 1)):
        for _ in range(20):
            with limit.request() as turn:
                turn.answered(status)
        assert limit.limit == wanted


def test_no_more_threads_ask_than_may() -> None:
    """Of forty threads three are under way at once, and all get their turn."""
    limit, most, lock, done = RequestLimit(3), [0], threading.Lock(), [0]

    def ask() -> None:
        for _ in range(5):
            with limit.request(), lock:
                most[0] = max(most[0], limit.asking)
                done[0] += 1

    threads = [threading.Thread(target=ask) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [200] and most[0] <= 3 and (limit.asking, limit.waiting) == (0, 0)


def test_who_waits_is_interrupted_when_it_stops() -> None:
    """And nobody asks after it."""
    limit, told = RequestLimit(1), threading.Event()

    def wait() -> None:
        with pytest.raises(Interrupted), limit.request():
            raise AssertionError("asked after all")
        told.set()

    with limit.request():
        thread = threading.Thread(target=wait)
        thread.start()
        while not limit.waiting:
            assert thread.is_alive()
        limit.stop()
        thread.join()
    assert told.is_set()
    with pytest.raises(Interrupted), limit.request():
        raise AssertionError("asked after all")


@given(st.lists(st.tuples(st.integers(1, 5_000), st.integers(0, 8_000)), min_size=20, max_size=60))
def test_what_is_taken_in_a_minute_is_what_may_be(requests: list[tuple[int, int]]) -> None:
    """However wrong what was expected of each request: in the end no faster, and no slower, than is allowed."""
    now_s = 0.0
    pace = Pace(60_000, lambda: now_s)
    taken = 0
    for expected, used in requests:
        now_s += pace.wait_s()
        pace.take(expected)
        pace.take(used - expected)
        taken += used
    now_s += pace.wait_s()
    assert now_s == pytest.approx(taken / 1_000)


class Counting:
    """A purse that holds so many completions."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.paid: list[Usage] = []

    def require(self) -> None:
        if len(self.paid) >= self.left:
            raise Interrupted("spent")

    def pay(self, usage: Usage) -> None:
        self.paid.append(usage)


def test_nothing_is_asked_when_the_purse_is_empty() -> None:
    """It is looked into before each request, and paid from after; who was refused has not begun."""
    purse = Counting(2)
    limit = RequestLimit(allowance=Allowance(purse=purse))
    for _ in range(2):
        with limit.request(10) as turn:
            turn.used(Usage(8, 3))
    with pytest.raises(Interrupted, match="spent"), limit.request(10):
        raise AssertionError("it was asked")
    assert purse.paid == [Usage(8, 3)] * 2 and (limit.asking, limit.waiting) == (0, 0)


def test_all_who_wait_learn_of_an_empty_purse() -> None:
    """One turn is free again when it is spent, and nobody takes it; none of the others waits for ever."""
    limit, told, lock = RequestLimit(1, allowance=Allowance(purse=Counting(1))), [0], threading.Lock()

    def wait() -> None:
        with pytest.raises(Interrupted), limit.request():
            raise AssertionError("asked after all")
        with lock:
            told[0] += 1

    threads = [threading.Thread(target=wait) for _ in range(5)]
    with limit.request() as turn:
        for thread in threads:
            thread.start()
        while limit.waiting < 5:
            assert all(thread.is_alive() for thread in threads)
        turn.used(Usage(8, 3))
    for thread in threads:
        thread.join()
    assert told == [5]
