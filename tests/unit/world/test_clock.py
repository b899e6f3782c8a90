from caia_replay.core.task import Anchor
from caia_replay.world.clock import Clock, utc_text


def test_waiting_is_counted_and_moves_nothing() -> None:
    """A wait grows waited_s and leaves now at the anchor; negative waits count nothing."""
    clock = Clock(Anchor("c", 1, 1743552000))
    clock.wait(2)
    clock.wait(-1)
    assert (clock.now, clock.waited_s) == (1743552000, 2)


def test_the_future_has_not_happened() -> None:
    """Things dated after the anchor are invisible, undated ones and those at the anchor are not."""
    clock = Clock(Anchor("c", 1, 100))
    assert [clock.has_happened(moment) for moment in (None, 99, 100, 101)] == [False, True, True, False]


def test_moments_are_written_in_utc() -> None:
    """Seconds become ISO text with a Z, whatever the machine's zone."""
    assert utc_text(1743552000) == "2025-04-02T00:00:00Z"
