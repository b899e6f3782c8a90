"""Behaviour of what is common to every chain a fork can stand on."""

from __future__ import annotations

from caia_replay.chain.chain_source import can_pin, hardfork_at, rule_changes


def test_only_listed_heights_can_be_pinned() -> None:
    """Both ends of each range can, the gaps cannot."""
    assert [block for block in range(10) if can_pin(((1, 2), (5, 7)), block)] == [1, 2, 5, 6, 7]


def test_the_rules_that_began_last_hold() -> None:
    """A hardfork holds from its own block to the one before the next."""
    forks = {0: "paris", 5: "shanghai", 7: "cancun"}
    assert [hardfork_at(forks, block) for block in (0, 4, 5, 6, 7, 99)] == [
        "paris", "paris", "shanghai", "shanghai", "cancun", "cancun",
    ]  # fmt: skip


def test_rules_that_do_not_change_are_told_once() -> None:
    """Whatever the order they came in; each block still has the rules it had."""
    told = {9: "cancun", 2: "paris", 4: "paris", 6: "cancun"}
    assert rule_changes(told) == {2: "paris", 6: "cancun"}
    assert all(hardfork_at(rule_changes(told), block) == hardfork_at(told, block) for block in range(2, 12))
