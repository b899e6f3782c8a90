"""What one tool call may touch of a task's world, noting how each part was served; and what a run keeps between calls:
the interpreter that runs a model's code, and what its wallet acts on.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

from caia_replay.canonical import strict_json
from caia_replay.core.execution import Sent
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.core.tool import Served
from caia_replay.core.world import Page, Post, Ranked, RankedPost
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.world.world import TaskWorld

if TYPE_CHECKING:
    from caia_replay.chain.chain_source import ChainSource
    from caia_replay.chain.fork_pool import Fork
    from caia_replay.sandbox.interpreter import Interpreter
    from caia_replay.tools.chain_copy import ChainCopies

_WEAKEST_FIRST = (Served.RANKED, Served.FORK, Served.DERIVED, Served.HIT)


MOST_HEAVY: Final = 16
"""Runs in flight of one process that may have an interpreter or nodes of their own: each takes tens of megabytes for as
long as its run goes on. The others wait with their next such call."""
_FORGOTTEN_S: Final = 30.0


def _places_for(runs: int) -> SimpleQueue[None]:
    """A place for each of so many runs. The collector may give one back in the midst of any line, also of one that
    takes or gives a place: a semaphore would then wait for itself."""
    places = SimpleQueue[None]()
    for _ in range(runs):
        places.put(None)
    return places


_places = _places_for(MOST_HEAVY)


class Session:
    """One per run. Close it, so that no interpreter or node outlives its run; nothing is started before it is asked
    for."""

    def __init__(self) -> None:
        self._interpreter: Interpreter | None = None
        self._copies: ChainCopies | None = None
        self._place: weakref.finalize[[None], Session] | None = None

    def interpreter(self, now: int) -> Interpreter:
        """The run's interpreter, whose clock stands at ``now``; the first call starts it. Raises ``BadInput`` where
        it cannot start."""
        if self._interpreter is None:
            from caia_replay.sandbox.compiled_file import CompiledFolder
            from caia_replay.sandbox.interpreter import Interpreter
            from caia_replay.store.private_folder import index_key, private_folder

            folder = private_folder()
            key = index_key(folder)
            self._weigh()
            cache = CompiledFolder(folder, key) if folder is not None and key is not None else None
            self._interpreter = Interpreter(now, cache=cache)
        return self._interpreter

    def copies(self, world: TaskWorld) -> ChainCopies:
        """The run's own copies of the chains, for its wallet to act on. Raises ``ToolError`` in a task without one."""
        if self._copies is None:
            from caia_replay.tools.chain_copy import ChainCopies

            if world.task.execution is None:
                raise ToolError("this task has no wallet: it is answered, and not carried out")
            self._weigh()
            self._copies = ChainCopies(world.world.snapshots, world.task.execution, world.newest)
        return self._copies

    @property
    def sent(self) -> tuple[Sent, ...]:
        """What the wallet sent so far, oldest first; still told after ``close``."""
        return () if self._copies is None else tuple(mined.sent for mined in self._copies.mined)

    def close(self) -> None:
        """End what was started; may be called twice."""
        ending, self._interpreter = self._interpreter, None
        try:
            if ending is not None:
                ending.close()
        finally:
            try:
                if self._copies is not None:
                    self._copies.close()
            finally:
                if self._place is not None:
                    self._place()
                    self._place = None

    def _weigh(self) -> None:
        """Wait until this run may be one of the heavy ones; one place for all that it starts, so that no two runs wait
        for each other."""
        if self._place is None:
            places = _places
            while True:
                try:
                    places.get(timeout=_FORGOTTEN_S)
                    break
                except Empty:
                    gc.collect()  # whom nobody closed and nobody can reach keeps a place until it is collected
            self._place = weakref.finalize(self, places.put, None)  # also where nobody closes it


class ToolContext:
    """The world for the length of one call; ``session`` is what a run keeps between its calls.

    A call that touched several parts bears the first class of RANKED, FORK, DERIVED, HIT that any
    part had, and COMPUTED when it touched none.
    """

    def __init__(self, world: TaskWorld, session: Session | None = None) -> None:
        self._world = world
        self.session = Session() if session is None else session
        self._touched: set[Served] = set()
        self._altered: dict[str, str] = {}

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
        return tuple(sorted(set(self._altered.values())))

    @property
    def altered_at(self) -> tuple[str, ...]:
        """The places of what they planted and the call handed out, sorted."""
        return tuple(sorted(self._altered))

    @property
    def now(self) -> int:
        """The task's moment, seconds since 1970 UTC."""
        return self._world.clock.now

    @property
    def chains(self) -> Mapping[str, ChainSource]:
        """Every chain of the world by name: its tables, which also tell what came after the task's moment."""
        return self._world.world.snapshots

    def chain(self, name: str) -> ChainSource:
        """The tables of one chain. Raises as ``newest`` where there are none: ``Miss`` for the anchor's own chain,
        ``ToolError`` for one nobody recorded."""
        found = self.chains.get(name)
        if found is None:
            self.newest(name)  # says which of both it is
            raise Miss("chain", f"chain {name}", "no snapshot of it")
        return found

    def newest(self, chain: str) -> int:
        """The newest block of ``chain`` at this moment. Raises ``Miss`` and ``ToolError``."""
        return self._world.newest(chain)

    @contextmanager
    def fork(self, block: int | None = None, chain: str | None = None) -> Iterator[Fork]:
        """A lease on ``chain``, or the anchor's, at ``block``, or its newest."""
        self._touched.add(Served.FORK)
        with self._world.fork(block, chain) as fork:
            yield fork

    @property
    def copies(self) -> ChainCopies:
        """What the run's wallet acts on. Raises ``ToolError`` in a task without a wallet."""
        found = self.session.copies(self._world)
        self._touched.add(Served.FORK)
        return found

    def touch(self, served: Served) -> None:
        """Note how a part was served that did not go through this view's own ways."""
        self._touched.add(served)

    def search(self, query: str, limit: int, offset: int = 0, tbs: str = "") -> tuple[Ranked, ...]:
        """Ranked pages of the corpus."""
        self._touched.add(Served.RANKED)
        found = self._world.search(query, limit, offset, tbs)
        self._note(*((result.page.url, result.page.altered_by) for result in found))
        return found

    def search_posts(
        self, query: str, limit: int, offset: int = 0, tbs: str = "", newest_first: bool = False
    ) -> tuple[RankedPost, ...]:
        """Ranked posts of the corpus."""
        self._touched.add(Served.RANKED)
        found = self._world.search_posts(query, limit, offset, tbs, newest_first)
        self._note(*((result.post.url, result.post.altered_by) for result in found))
        return found

    def page(self, url: str) -> Page:
        """One page, recorded or planted."""
        self._touched.add(Served.HIT)
        page = self._world.page(url)
        self._note((page.url, page.altered_by))
        return page

    def post(self, number: str) -> Post:
        """One post by its id, recorded or planted."""
        self._touched.add(Served.HIT)
        post = self._world.post(number)
        self._note((post.url, post.altered_by))
        return post

    def thread(self, number: str) -> tuple[Post, ...]:
        """A conversation by the id of its first post, as far as it was recorded, and what was planted into it."""
        self._touched.add(Served.DERIVED)
        known = {post.id: post for post in self._world.posts()}
        known |= {
            post.id: post for post in self._world.planted.posts.values() if self._world.clock.has_happened(post.created)
        }
        found = tuple(post for post in known.values() if post.thread == number)
        self._note(*((post.url, post.altered_by) for post in found))
        return found

    def fetch(self, request: HttpRequest) -> HttpReply:
        """A remote API's answer: recorded, narrowed from what was recorded, or planted."""
        reply, served = self._world.answer(request)
        self._touched.add(served)
        self._note(self._world.alteration(request))
        return reply

    def ask(self, url: str, **parameters: str | int | None) -> Any:
        """What a remote API says to a GET, read as JSON; parameters that are None are left out.

        Raises ``Miss``, and ``ToolError`` for a refusal that was recorded, in the API's own words.
        """
        sent = {name: value for name, value in parameters.items() if value is not None}
        request = HttpRequest("GET", f"{url}?{urlencode(sent)}" if sent else url)
        reply = self.fetch(request)
        try:
            content = strict_json(reply.body)
        except (BadInput, ValueError) as fault:
            raise Miss("http", f"GET {request.url}", "what was recorded is no JSON") from fault
        if reply.status != 200:
            raise ToolError(f"{urlsplit(url).hostname} refused with status {reply.status}: {refusal_words(content)}")
        return content

    def _note(self, *handed_out: tuple[str, str]) -> None:
        self._altered.update({place: attack for place, attack in handed_out if attack})

    def unrecorded_fields(self, block: int, chain: str | None = None) -> frozenset[str]:
        """Header fields of ``block`` that were reconstructed, or not recorded at all; never shown as facts."""
        source = self.chain(chain or self.anchor.chain)
        absent = set(source.reconstructed.get(block, ()))
        try:
            source.block(block, full=False)
        except Miss:
            absent.add("transactions")
        return frozenset(absent)

    def recorded_header(self, block: int, chain: str | None = None) -> dict[str, Any]:
        """A header as the snapshot has it, without the node; raises ``Miss``."""
        self._touched.add(Served.HIT)
        return self.chain(chain or self.anchor.chain).header(block)

    def require(self, value: Any, kind: str, wanted: str, chain: str | None = None) -> Any:
        """``value``, or a ``Miss`` when the node answered null: null is never read as an answer."""
        if value is None:
            name = chain or self.anchor.chain
            raise Miss(kind, wanted, f"{name} at block {self.newest(name)}")
        return value


def refusal_words(refusal: Any) -> str:
    """The message within a refusal, wherever vendors put it."""
    while isinstance(refusal, dict):
        names = [name for name in ("error", "message", "msg", "status", "error_message", "detail") if refusal.get(name)]
        if not names:
            break
        refusal = refusal[names[0]]
    return str(refusal)[:300]
