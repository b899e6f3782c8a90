"""Every kind of question there is, by what CAIA counts it as."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from caia_replay.core.task import Category
from caia_worldgen.questions import flow, form, general, notice, open_web, page, point, term, unlock
from caia_worldgen.questions.expression import Composed, Source
from caia_worldgen.questions.known import Known
from caia_worldgen.questions.measure import MEASURES, Measure

Make = Callable[[Known], Composed | None]
Ask = Callable[..., Composed | None]
Kind = tuple[Category, Source]


@dataclass(frozen=True, slots=True)
class Maker:
    """What makes questions of one kind; raises ``KeyError`` or ``ValueError``, or returns ``None``, where a draw of
    subjects and times has none."""

    name: str
    kind: Kind
    make: Make
    is_open: bool = False
    """Whether it asks about matters of which sources differ; see ``open_web``."""


_DISCOVERY: Final[Kind] = ("project discovery", "DeFi metrics")
_OVERLAP: Final[Kind] = ("overlap", "DeFi metrics")
_TREND: Final[Kind] = ("trend analysis", "DeFi metrics")
_CHAIN: Final[Kind] = ("on-chain analysis", "aggregate")
_ROLLUP: Final[Kind] = ("on-chain analysis", "other chain")
_PROTOCOL: Final = ("tvl", "fees", "volume", "users", "protocol_transactions", "staked_value", "new_users", "borrowed")
_GENERAL_FORMS: Final = {
    "figure": form.figure, "change": form.change, "growth": form.growth, "peak": form.peak,
    "days_table": form.days_table, "average": form.average, "above": form.above, "ranking": form.ranking,
    "compare": form.compare, "exceeded": form.exceeded, "share": form.share,
}  # fmt: skip
_USES: Final[tuple[tuple[Kind, tuple[str, ...], tuple[str, ...]], ...]] = (
    (_DISCOVERY, ("figure", "days_table"), _PROTOCOL),
    (_OVERLAP, ("ranking", "compare", "share"), _PROTOCOL),
    (_TREND, ("change", "growth", "peak", "above"), _PROTOCOL),
    (("overlap", "market price"), ("ranking", "compare"), ("price", "cap", "high", "low")),
    (("trend analysis", "market price"), ("change", "figure"), ("price", "cap", "high", "low")),
    (_CHAIN, ("peak", "days_table", "average", "above", "exceeded", "growth", "compare"),
     ("transactions", "failed", "senders", "burnt_fees")),
)  # fmt: skip
_SEVERAL: Final = (("fees", "volume"), ("fees", "protocol_transactions"), ("volume", "protocol_transactions"),
                   ("fees", "volume", "protocol_transactions"))  # fmt: skip


_TOKENOMICS: Final[Kind] = ("tokenomics", "supply and unlocks")
_GENERAL: Final[Kind] = ("general knowledge", "general knowledge")
_FACTS: Final[Kind] = ("project discovery", "project facts")
_TERM: Final[Kind] = ("on-chain analysis", "contract metadata")
_POINT: Final[Kind] = ("on-chain analysis", "point look-up")
_POINTS: Final[dict[str, Callable[..., Composed | None]]] = {
    "supply": point.supply, "staked": point.staked, "staked-share": partial(point.staked, as_share=True),
    "utilisation": point.utilisation, "bridged": point.bridged, "votes": point.votes, "holders": point.holders,
    "top-holders": partial(point.holders, top=3), "wallet": point.wallet,
    "block": flow.block_of, "largest": flow.largest,
}  # fmt: skip


def _on_rollup(measure: str) -> Measure:
    return replace(MEASURES[measure], kinds=("rollup",))


def makers() -> Iterator[Maker]:
    """All of them, each with a name of its own."""
    for kind, forms, measures in _USES:
        for name in forms:
            for measure in measures:
                make = partial(_GENERAL_FORMS[name], measure=MEASURES[measure], kind=kind)
                yield Maker(f"{name}-{measure.replace('_', '-')}", kind, make)
    for name, ask in unlock.FORMS.items():
        yield Maker(f"unlock-{name}", _TOKENOMICS, partial(ask, kind=_TOKENOMICS))
    for name, ask in general.FORMS.items():
        yield Maker(f"general-{name}", _GENERAL, partial(ask, kind=_GENERAL))
    for name, ask in (page.FORMS | notice.FORMS).items():
        yield Maker(f"page-{name}", _FACTS, partial(ask, kind=_FACTS))
    for name, ask in (("single", term.single), ("pair", term.pair), ("gap", term.spread)):
        yield Maker(f"term-{name}", _TERM, partial(ask, kind=_TERM))
    yield Maker("term-of-project", ("project discovery", "contract metadata"),
                partial(term.pair, kind=("project discovery", "contract metadata")))  # fmt: skip
    for name, ask in _POINTS.items():
        yield Maker(f"point-{name}", _POINT, partial(ask, kind=_POINT))
    for name, ask in (("supply", point.supply), ("supply-change", point.supply_change)):
        yield Maker(f"rollup-{name}", _ROLLUP, partial(ask, kind=_ROLLUP, chain="rollup"))
    for name in ("peak", "days_table", "average", "above", "growth"):
        for measure in ("transactions", "failed", "senders"):
            yield Maker(
                f"rollup-{name}-{measure}",
                _ROLLUP,
                partial(_GENERAL_FORMS[name], measure=_on_rollup(measure), kind=_ROLLUP),
            )
    for name, ask in flow.FORMS.items():
        for is_token in (False, True):
            what = "transfers" if is_token else "events"
            yield Maker(f"flow-{name}-{what}", _CHAIN, partial(ask, kind=_CHAIN, is_token=is_token))
        if name != "count":
            yield Maker(f"rollup-{name}", _ROLLUP, partial(ask, kind=_ROLLUP, chain="rollup"))
    for names in _SEVERAL:
        yield Maker(f"several-{'-'.join(names)}", _OVERLAP, partial(form.several, names=names, kind=_OVERLAP))
    for name, kind, make_open in open_web.forms():
        yield Maker(f"open-{name}", kind, make_open, is_open=True)
