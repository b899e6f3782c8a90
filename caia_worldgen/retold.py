"""A story told again over recorded chains: its ledger and books without a node, for what is asked of a world later.

The acts never read the chain they play on, so nothing has to be executed a second time. What the books do read, the
headers' base fees, comes from the recorded chain, whose blocks must have the times that the seed gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from eth_account.signers.local import LocalAccount

from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput
from caia_replay.store.world_folder import WorldFolder
from caia_worldgen.calendar import OPENING, SCALES, Scale
from caia_worldgen.chain import GWEI, Genesis, OriginChain, Sent
from caia_worldgen.economy import economy, tell
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.repository import Repositories
from caia_worldgen.web.cast import draw_cast
from caia_worldgen.web.truth import Truth

_HEADER: Final = "eth_getBlockByNumber"


class RecordedChain(OriginChain):
    """A recorded chain in the place of a living one: it takes every transaction and makes no block of its own."""

    def __init__(self, genesis: Genesis, snapshot: Snapshot) -> None:
        self.genesis = genesis
        self.height = 0
        self._snapshot = snapshot

    def close(self) -> None:
        """Nothing was started."""

    def ask(self, method: str, *params: Any) -> Any:
        """A recorded header. Raises ``BadInput`` for anything else, and ``Miss`` for a header that is not recorded."""
        if method != _HEADER:
            raise BadInput(f"a story that is told again has no node to ask for {method}")
        return self._snapshot.header(int(params[0], 16))

    def set_gas_limit(self, gas_limit: int) -> None:
        """The recorded blocks have theirs."""

    def send(
        self,
        wallet: LocalAccount,
        to: str | None,
        data: bytes = b"",
        *,
        value_wei: int = 0,
        gas: int = 200_000,
        tip_wei: int = GWEI,
        succeeds: bool = True,
        words: str = "a transaction",
    ) -> Sent:
        """Nothing is signed: the transaction stands on the recorded chain."""
        return Sent("", succeeds, words)

    def mine(self, timestamp: int) -> list[dict[str, Any]]:
        """The next recorded block. Raises ``BadInput`` where it was made at another time than the story says."""
        self.height += 1
        recorded = int(self._snapshot.header(self.height)["timestamp"], 16)
        if recorded != timestamp:
            raise BadInput(
                f"block {self.height} of chain {self.genesis.chain_id} was made at {recorded}, by the world's seed it "
                f"is made at {timestamp}",
                next_command="caia-replay world build, with the generator that this world was built by",
            )
        return []


def retell(
    folder: WorldFolder, progress: Callable[[int, int], None] = lambda done, whole: None, scale: Scale | None = None
) -> Truth:
    """The facts of a synthetic economy from the seed in its world.toml; ``scale`` is read off its chains by default.

    Raises ``BadInput`` for a world that is no synthetic economy, and for one that this generator does not tell.
    """
    info = folder.info
    if info.provenance != "synthetic" or info.seed is None or len(info.chains) != 2 or info.base is not None:
        raise BadInput(f"world {info.id} is no synthetic economy", where=folder.path, nearest="synthetic-178")
    opened = [Snapshot.open(folder.snapshots / chain) for chain in info.chains]
    left = iter(opened)
    told_at = scale or scale_of(folder, *(one.heights[-1][1] for one in opened))
    with economy(info.seed, told_at, lambda genesis: RecordedChain(genesis, next(left))) as scene:
        names = tuple(scene.networks[name].id for name in ("main", "rollup"))
        if names != info.chains:
            raise BadInput(f"seed {info.seed} tells of {' and '.join(names)}", where=folder.path / "world.toml")
        tell(scene, progress)
        book = MarketBook(scene)
        metrics, code = Metrics(scene, book), Repositories(scene, book)
        return Truth(scene, book, metrics, code, draw_cast(scene, book.coins))


def scale_of(folder: WorldFolder, main: int, rollup: int) -> Scale:
    """The scale whose chains end at these heights. Raises ``BadInput`` where none does."""
    for scale in SCALES.values():
        extra = main - scale.days * scale.main_blocks, rollup - scale.days * scale.rollup_blocks
        if all(0 <= more <= OPENING for more in extra):
            return scale
    raise BadInput(f"no size of economy has {main} and {rollup} blocks", where=folder.path, nearest=", ".join(SCALES))
