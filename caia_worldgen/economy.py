"""The economy: what happens on the two chains of the world, in the order in which it is told.

A network with a native coin and a dollar token; ten projects with tokens of their own; an exchange on the chain whose
prices follow a market outside it, because somebody earns by evening out the difference; people who trade, provide
liquidity, pay and make mistakes. Dollars are lent against collateral until a crash takes it; stakers earn until a pool
is empty; holders vote a new fee vault into being. Founders, investors and advisers get their tokens over time; a
project gives some away; collectibles are sold; small tokens are launched on a curve, and most of them die. A bridge
carries coins to a roll-up with a market of its own, and back; some tokens are traps, some addresses and names are
copies of others; coins are paused, permits signed, announced burns done. Each strand is an act (``act/``); this file is
the cast list and the running order.

    the opening   in the first hour every act deploys its contracts; tokens are born and spread, pools are filled
    each block    the acts play in the order below; then the block is made, on the main chain and on the roll-up
                  in the order of their timestamps

Everything follows from the seed in integers. The ledger and the deeds are written by the acts as they go; the chain is
never read, so that it can be compared with them afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from caia_worldgen.act.airdrop import Airdrop
from caia_worldgen.act.birth import PROJECTS, Birth
from caia_worldgen.act.bridge import Bridge
from caia_worldgen.act.collect import Collect
from caia_worldgen.act.daily import Daily
from caia_worldgen.act.govern import Govern
from caia_worldgen.act.inscribe import Inscribe
from caia_worldgen.act.launch import Launches
from caia_worldgen.act.lend import Lend
from caia_worldgen.act.poison import Poison
from caia_worldgen.act.rollup import Rollup
from caia_worldgen.act.stake import Stake
from caia_worldgen.act.tax import Pause, Tax
from caia_worldgen.act.trade import Trade
from caia_worldgen.act.trap import Trap
from caia_worldgen.act.vest import Vest
from caia_worldgen.calendar import Calendar, Scale, draw_calendar
from caia_worldgen.chain import Genesis, OriginChain, funded
from caia_worldgen.people import Namer, People, draw_people
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Act, Scene
from caia_worldgen.stage import Stage
from caia_worldgen.venue import Shock, Temper, Venue, walk

HARDFORK: Final = "cancun"
MAIN_CHAIN_ID: Final = 710_000_000
ROLLUP_CHAIN_ID: Final = 720_000_000
"""Plus the seed: two worlds' chains are never taken for each other."""

_OPENING_GAS: Final = 600_000_000
_BLOCK_GAS: Final = 6_000_000
"""Near what a full block uses, so that the base fee moves as it does under load."""
_FIRST_DAY_GAS: Final = 6_000_000
"""Everybody begins at once, and that fills the first blocks."""
_ROLE_PURSE_WEI: Final = 20_000 * 10**18
_PURSE_WEI: Final = 60 * 10**18


def acts() -> tuple[Act, ...]:
    """Everything that happens, in the order of the story."""
    return (
        Birth(),
        Trade(),
        Vest(),
        Airdrop(),
        Collect(),
        Launches(),
        Lend(),
        Stake(),
        Govern(),
        Bridge(),
        Rollup(),
        Trap(),
        Tax(),
        Poison(),
        Inscribe(),
        Pause(),
        Daily(),
    )


def crash_hour(seed: int, hours: int) -> int:
    """The hour of the story in which every price falls."""
    return _crash_hour(Rng(f"economy/{seed}/venue"), hours)


@contextmanager
def economy(seed: int, scale: Scale, chain_of: Callable[[Genesis], OriginChain] = OriginChain) -> Iterator[Scene]:
    """Both chains at their first midnight, nothing told yet; the nodes end with the block.

    ``chain_of`` starts a chain at its genesis, the main one first.
    """
    namer = Namer(seed)
    people = draw_people(seed, namer)
    main = draw_calendar("main", seed, scale.days, scale.main_blocks)
    rollup = draw_calendar("rollup", seed, scale.days, scale.rollup_blocks)
    with (
        chain_of(_genesis(MAIN_CHAIN_ID + seed, main, people)) as main_chain,
        chain_of(_genesis(ROLLUP_CHAIN_ID + seed, rollup, people)) as rollup_chain,
    ):
        stages = Stage("main", main_chain, main, seed), Stage("rollup", rollup_chain, rollup, seed)
        networks = {"main": namer.project("Network"), "rollup": namer.project("Rollup")}
        yield Scene(seed, scale, namer, people, Venue(main.times[0], {}), *stages, networks)


def tell(scene: Scene, told: Callable[[int, int], None] = lambda done, whole: None) -> None:
    """Play the whole story; ``told`` is called after every block with how many are made and how many there are."""
    order = acts()
    scene.venue = _venue(scene)
    for act in order:
        act.open(scene)
    for stage in (scene.main, scene.rollup):
        stage.end_opening(_BLOCK_GAS)
    whole = scene.main.calendar.last_block + scene.rollup.calendar.last_block
    for stage in _in_time(scene):
        if stage is scene.main and stage.day == 0:
            stage.make_room(_FIRST_DAY_GAS)
        for act in order:
            act.play(scene, stage)
        stage.mine()
        told(scene.main.height + scene.rollup.height - 2, whole)


def _in_time(scene: Scene) -> Iterator[Stage]:
    """The stage whose next block is the earlier one, until both are told."""
    while True:
        left = [stage for stage in (scene.main, scene.rollup) if stage.height <= stage.calendar.last_block]
        if not left:
            return
        yield min(left, key=lambda stage: stage.now)


def _genesis(chain_id: int, calendar: Calendar, people: People) -> Genesis:
    purses = funded(people.roles.values(), _ROLE_PURSE_WEI)
    purses |= funded((person.wallet for person in people.crowd), _PURSE_WEI)
    return Genesis(chain_id, HARDFORK, calendar.times[0], _OPENING_GAS, purses)


def _venue(scene: Scene) -> Venue:
    """Prices of everything that is traded outside: calm majors, livelier small ones, one crash for all."""
    hours = scene.scale.days * 24
    rng = Rng(f"economy/{scene.seed}/venue")
    crash = _crash_hour(rng, hours)
    prices: dict[str, tuple[int, ...]] = {}
    for role in ("native", *PROJECTS):
        first = rng.odd(150, 4_000) * 10**8 if role == "native" else rng.odd(2 * 10**6, 9 * 10**8)
        temper = Temper(first, rng.number(4_000, 16_000), rng.number(-120, 160))
        fall = rng.number(120_000, 380_000)
        prices[role] = walk(f"{scene.seed}/{role}", temper, hours, (Shock(crash, -fall), Shock(crash + 7, fall // 4)))
    return Venue(scene.main.calendar.times[0], prices)


def _crash_hour(rng: Rng, hours: int) -> int:
    return rng.number(hours * 55 // 100, hours * 70 // 100)
