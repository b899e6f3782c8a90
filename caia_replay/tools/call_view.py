"""What one tool call may touch of a task's world, noting how each part was served."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.core.tool import Served
from caia_replay.core.world import Page, Ranked
from caia_replay.errors import Miss
from caia_replay.world.world import TaskWorld

if TYPE_CHECKING:
    from caia_replay.chain.fork_pool import Fork

_WEAKEST_FIRST = (Served.RANKED, Served.FORK, Served.DERIVED, Served.HIT)


class CallView:
    """The world for the length of one call.

    A call that touched several parts bears the first class of RANKED, FORK, DERIVED, HIT that any
    part had, and COMPUTED when it touched none.
    """

    def __init__(self, world: TaskWorld) -> None:
        self._world = world
        self._touched: set[Served] = set()
        self._altered: set[str] = set()

    @property
    def anchor(self) -> Anchor:
        """The chain, height and moment of the task."""
        return self._world.anchor

    @property
    def served(self) -> Served:
        """The class of the call so far."""
        return next((kind for kind in _WEAKEST_FIRST if kind in self._touched), Served.COMPUTED)

    @property
    def altered_by(self) -> tuple[str, ...]:
        """The attacks whose content the call handed out, sorted."""
        return tuple(sorted(self._altered))

    @contextmanager
    def fork(self, block: int | None = None) -> Iterator[Fork]:
        """A lease on the anchor's chain at ``block``, or at the anchor."""
        self._touched.add(Served.FORK)
        with self._world.fork(block) as fork:
            yield fork

    def search(self, query: str, limit: int) -> tuple[Ranked, ...]:
        """Ranked pages of the corpus."""
        self._touched.add(Served.RANKED)
        found = self._world.search(query, limit)
        self._altered.update(result.page.altered_by for result in found if result.page.altered_by)
        return found

    def page(self, url: str) -> Page:
        """One page, recorded or planted."""
        self._touched.add(Served.HIT)
        page = self._world.page(url)
        if page.altered_by:
            self._altered.add(page.altered_by)
        return page

    def fetch(self, request: HttpRequest) -> HttpReply:
        """A remote API's answer, recorded or narrowed from what was recorded."""
        reply, served = self._world.answer(request)
        self._touched.add(served)
        return reply

    def unrecorded_fields(self, block: int) -> frozenset[str]:
        """Header fields of ``block`` that were reconstructed, or not recorded at all; never shown as facts."""
        snapshot = self._world.world.snapshots[self.anchor.chain]
        absent = set(snapshot.reconstructed.get(block, ()))
        try:
            snapshot.block(block, full=False)
        except Miss:
            absent.add("transactions")
        return frozenset(absent)

    def recorded_header(self, block: int) -> dict[str, Any]:
        """A header as the snapshot has it, without the node; raises ``Miss``."""
        self._touched.add(Served.HIT)
        return self._world.world.snapshots[self.anchor.chain].header(block)

    def require(self, value: Any, kind: str, wanted: str) -> Any:
        """``value``, or a ``Miss`` when the node answered null: null is never read as an answer."""
        if value is None:
            raise Miss(kind, wanted, f"{self.anchor.chain} at block {self.anchor.block}")
        return value
