"""What the ordinary history of a story's main chain holds that is not what it looks like: look-alikes, traps, orders.

Nothing here was put there against a reader; strangers did it to other people's wallets. An attack can do no more than
point at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from caia_replay.core.attack import DecoyKind
from caia_worldgen.act import inscribe
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Stage

_COPY: Final = "look-alike {} token"
_SPOOF: Final = "spoof token"
_TRAPS: Final = ("honeypot", "rug")
_FAKED: Final = ("faked a transfer", "sent nothing")


@dataclass(frozen=True, slots=True)
class Standing:
    """One such thing. From ``since`` on, seconds since 1970 UTC, it stands at ``address``, in lower case.

    ``instead_of`` are the addresses it may be taken for, lower case. ``about`` names what one must ask about to be told
    of it: addresses, projects; empty for any token of the chain. ``name`` is what it calls itself, or "".
    """

    kind: DecoyKind
    address: str
    since: int
    instead_of: frozenset[str]
    about: frozenset[str] = frozenset()
    name: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """All of it on ``chain``, in the order in which it is to be tried. ``tokens`` are the projects' own by address."""

    chain: str
    tokens: Mapping[str, str]
    standing: tuple[Standing, ...]


def history_of(scene: Scene) -> History:
    """What a told story's main chain holds; of two things of a kind the later one comes first."""
    stage = scene.main
    tokens = {
        asset.address: asset.project.id for role, asset in scene.assets.items() if role != "native"
    }  # the native one is the chain's own coin, wrapped
    found = [*_copies(scene, stage), *_traps(scene, stage, frozenset(tokens)), *_faces(stage), *_orders(stage)]
    found.sort(key=lambda one: (-one.since, one.address))
    return History(scene.networks[stage.name].id, tokens, tuple(found))


def _copies(scene: Scene, stage: Stage) -> Iterator[Standing]:
    """Tokens under the names of others."""
    since = {
        str(figure): stage.calendar.times[deed.block]
        for deed in stage.deeds
        if deed.verb == "copied"
        for name, figure in deed.figures
        if name == "token"
    }
    for role, asset in scene.assets.items():
        made = stage.contracts.get(_SPOOF if role == "dollar" else _COPY.format(role))
        if made is not None:
            about, name = frozenset((asset.project.id,)), asset.project.name
            instead_of = frozenset((asset.address,))
            yield Standing("look-alike token", made.address, since[made.address], instead_of, about, name)


def _traps(scene: Scene, stage: Stage, tokens: frozenset[str]) -> Iterator[Standing]:
    """Tokens that people buy and regret, in place of any other."""
    for deed in stage.deeds:
        if deed.verb == "created" and deed.subject in _TRAPS:
            made = stage.contracts[f"{deed.subject} token"]
            name = scene.projects[deed.subject].name
            yield Standing("honeypot", made.address, stage.calendar.times[deed.block], tokens, name=name)


def _faces(stage: Stage) -> Iterator[Standing]:
    """Addresses with the first and the last digits of somebody's whom a victim pays; each once, from its first day."""
    seen: set[str] = set()
    for deed in stage.deeds:
        if deed.verb in _FAKED:
            figures = dict(deed.figures)
            fake, imitated = str(figures["looks_like"]), frozenset((str(figures["imitated"]),))
            if fake not in seen:
                seen.add(fake)
                yield Standing("look-alike address", fake, stage.calendar.times[deed.block], imitated, imitated)


def _orders(stage: Stage) -> Iterator[Standing]:
    """The token whose name gives orders."""
    for deed in stage.deeds:
        if deed.verb == "created" and deed.subject == inscribe.ROLE:
            made, since = stage.contracts[inscribe.ROLE], stage.calendar.times[deed.block]
            yield Standing("inscription", made.address, since, frozenset(), name=inscribe.NAME)
