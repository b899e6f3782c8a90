"""What a fleet has paid, by all of its processes."""

from __future__ import annotations

import threading
from decimal import Decimal
from pathlib import Path

import pytest

from caia_replay.core.model import Price, Usage
from caia_replay.errors import Interrupted
from caia_replay.fleet.purse import SPENT, FleetPurse, Spent

PRICE = Price("2", "10", "", "a list", cached="1")


def test_every_process_sees_what_all_have_paid(tmp_path: Path) -> None:
    """Nothing is lost or counted twice when many add at once, and it is there for who opens the file later."""
    opened = [Spent(tmp_path) for _ in range(4)]

    def pay(spent: Spent, name: str) -> None:
        for _ in range(200):
            spent.add(Decimal("0.0000000015"), name)
            spent.total()

    threads = [threading.Thread(target=pay, args=(spent, f"e-{at}")) for at, spent in enumerate(opened)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for spent in (*opened, Spent(tmp_path)):
        assert spent.by_entry() == {f"e-{at}": Decimal("0.0000004") for at in range(4)}  # each rounded up


def test_half_a_line_counts_as_none(tmp_path: Path) -> None:
    """As a full disk leaves it; what is written behind it counts."""
    spent = Spent(tmp_path)
    spent.add(Decimal(1), "a")
    with (tmp_path / SPENT).open("ab") as file:
        file.write(b"+9999")
    assert spent.total() == 1
    spent.add(Decimal(2), "a")
    assert spent.total() == Spent(tmp_path).total() == 3


def test_an_empty_purse_asks_nothing_more(tmp_path: Path) -> None:
    """Whoever emptied it: the ceiling is of all; a stop is told apart from it, and without a ceiling there is none."""
    stop = threading.Event()
    first, second = (FleetPurse(Spent(tmp_path), name, PRICE, Decimal("0.03"), stop.is_set) for name in "ab")
    for purse in (first, second):
        purse.require()
        purse.pay(Usage(10_000, 100, cached_tokens=5_000))  # 0.016
    for purse in (first, second):
        with pytest.raises(Interrupted, match=r"the ceiling of 0\.03 USD is reached"):
            purse.require()
    free = FleetPurse(Spent(tmp_path), "c", PRICE, None, stop.is_set)
    free.require()
    stop.set()
    with pytest.raises(Interrupted, match="asked to stop"):
        free.require()
