"""What is written in the synthetic code repositories: subjects of commits and issues, notes, and pages about a project.

Small grammars, one vocabulary for each kind of project, so that a lender's commits speak of lending. All fictional.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from caia_worldgen.rng import Rng

ABOUT: Final[Mapping[str, str]] = {
    "native": "A small proof-of-stake network and what runs on it",
    "exchange": "Token exchange with constant-product pools",
    "lend": "Overcollateralised lending with an on-chain fee vault",
    "bridge": "Lock-and-mint bridge between the main chain and its roll-up",
    "arena": "Games whose rewards are paid by the second",
    "storage": "Paid storage with staked providers",
    "payments": "Checkout and payouts for merchants",
    "feeds": "Price feeds posted on chain",
    "index": "Baskets of tokens in one token",
    "social": "Profiles and posts that belong to their authors",
    "compute": "Rented computing time, settled on chain",
}
"""Role in the story -> what the project is, in one line."""

_THINGS: Final[Mapping[str, Sequence[str]]] = {
    "native": ("block import", "fee history", "state pruning", "peer scoring", "receipt root", "launch curve"),
    "exchange": ("pair factory", "router path", "pool shares", "swap deadline", "price impact", "fee growth"),
    "lend": ("liquidation bonus", "interest accrual", "borrow limit", "fee vault", "oracle adapter", "health factor"),
    "bridge": ("relayer nonce", "vault lock", "mint proof", "retry queue", "burn event", "finality depth"),
    "arena": ("reward rate", "season table", "match result", "stake receipt", "claim button", "leader board"),
    "storage": ("provider bond", "shard map", "proof window", "reward claim", "lease renewal", "upload resume"),
    "payments": ("permit nonce", "merchant split", "refund path", "receipt number", "payout batch", "currency table"),
    "feeds": ("heartbeat", "deviation threshold", "keeper key", "round id", "stale answer", "price decimals"),
    "index": ("basket weight", "rebalance order", "redeem fee", "constituent list", "net asset value", "drift limit"),
    "social": ("profile page", "post signature", "claim tree", "follower count", "mute list", "handle registry"),
    "compute": ("job queue", "worker lease", "price quote", "result hash", "idle timeout", "slash record"),
}
_ELSEWHERE: Final = ("wallet import", "order form", "settings page", "data export", "session key", "sync loop")
_AROUND: Final[Mapping[str, Sequence[str]]] = {
    "contracts": ("access check", "event fields", "storage gap", "revert reason", "gas report", "invariant test"),
    "app": ("dark theme", "number format", "wallet prompt", "empty state", "network switch", "error toast"),
    "docs": ("quick start", "glossary", "address list", "diagram", "integration page", "frequent questions"),
    "node": ("metrics page", "database lock", "log level", "config file", "shutdown order", "snapshot export"),
    "launchpad": (
        "graduation check",
        "curve rounding",
        "fee collection",
        "creator page",
        "slippage bound",
        "token seed",
    ),
    "core": ("build script", "retry policy", "cache key", "type hints", "parser", "command line"),
}
_KINDS: Final = (
    ("feat", ("add", "show", "support", "expose")),
    ("fix", ("correct", "guard", "stop losing", "round down")),
    ("refactor", ("split", "rename", "simplify", "move")),
    ("test", ("cover", "fuzz", "pin down", "check")),
    ("docs", ("explain", "describe", "clarify", "list")),
    ("chore", ("tidy", "update", "bump", "drop unused")),
)
_TAILS: Final = ("", "", "", " on the roll-up", " for small amounts", " when paused", " after an upgrade", " in tests")
_WISHES: Final = ("{thing} is wrong after a reload", "Document the {thing}", "{thing} reverts without a reason",
                  "Make the {thing} configurable", "Slow {thing} with many accounts", "{thing}: unclear error",
                  "Question about the {thing}")  # fmt: skip
_LABELS: Final = (("bug",), ("documentation",), ("bug",), ("enhancement",), ("performance",), ("bug",), ("question",))
_REMARKS: Final = (
    "Seen on the current version; steps are in the first comment.",
    "This would help integrators.",
    "Happens about once in ten tries here.",
    "Low priority, written down so that it is not lost.",
)


def things(role: str, kind: str) -> Sequence[str]:
    """What people of a project talk about in a repository of some kind."""
    return (*_THINGS.get(role, _ELSEWHERE), *_AROUND[kind])


def subject(dice: Rng, role: str, kind: str, tagged: bool) -> str:
    """A commit's first line; ``tagged`` puts the kind of change before it."""
    change, verbs = dice.one(_KINDS if kind != "docs" else _KINDS[4:])
    words = f"{dice.one(verbs)} {dice.one(things(role, kind))}{dice.one(_TAILS)}"
    return f"{change}: {words}" if tagged else words[0].upper() + words[1:]


def wish(dice: Rng, role: str, kind: str) -> tuple[str, str, tuple[str, ...]]:
    """An issue: title, text and labels."""
    number = dice.number(0, len(_WISHES) - 1)
    title = _WISHES[number].format(thing=dice.one(things(role, kind)))
    return title[0].upper() + title[1:], dice.one(_REMARKS), _LABELS[number]


def notes(tag: str, subjects: Sequence[str]) -> str:
    """A release's notes: what was committed since the one before."""
    lines = [f"* {line}" for line in subjects] or ["* Maintenance only"]
    return "\n".join((f"## {tag}", "", *lines))
