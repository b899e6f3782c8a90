"""A draft world that asks the living internet for what it does not hold yet, and goes on as it will be replayed.

What comes back joins the recordings at once; the answer a tool gets is then narrowed out of them, as in replay. So a
tool never sees, while it is recorded, what a replay could not show it. What must not be kept is left out and named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import httpx2

from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import Recordings
from caia_replay.chain.chain_source import ChainSource
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.providers.etherscan.request import ORIGIN as ETHERSCAN
from caia_replay.providers.reader.provider import ReaderProvider
from caia_replay.recording.live_index import NAME, LiveExchanges, LiveFamilies, LiveStore, LiveWebIndex
from caia_replay.store.world_folder import WorldFolder
from caia_replay.world.coverage_key import Families
from caia_replay.world.world import FrozenWorld

_REFUSALS: Final = frozenset({401, 402, 403})
"""Of an API: what it says of the caller's key or plan, and nothing of the world."""


_STUMBLES: Final = 500

_KEY_WORDS: Final = re.compile(r"API Pro|API Key|rate limit|free api access|upgrade your", re.IGNORECASE)
"""What Etherscan says of a key or a plan, with status 200."""


class NotKept(Miss):
    """A reply came that must not be in the recording."""

    def __init__(self, request: HttpRequest, reply: HttpReply, why: str) -> None:
        super().__init__("http", f"{request.method} {request.url:.300}", f"asked, and not kept: {why}")
        self.reply = reply


class LiveWorld(FrozenWorld):
    """``folder``'s recordings and what is added to them; for one task and one thread at a time.

    ``client`` is a ``Recorder``'s. ``why_not`` says why an exchange must not be kept, "" where it may. ``mask`` takes
    keys out of what vendors say. ``left_out`` says by identity why what was asked is not kept.
    """

    def __init__(
        self,
        folder: WorldFolder,
        chains: Mapping[str, ChainSource] | None,
        client: httpx2.Client,
        why_not: Callable[[Recorded], str],
        mask: Callable[[str], str] = lambda text: text,
    ) -> None:
        super().__init__(folder, chains)
        self.helped: set[bytes] = set()
        self._unhelpful: dict[bytes, tuple[HttpRequest, str]] = {}
        self._mask = mask
        self._client = client
        self._why_not = why_not
        self._made = LiveExchanges()
        self._views: dict[str | None, Recordings] = {}
        self._scratch = TemporaryDirectory(prefix="caia-replay-")
        self.left_out: dict[bytes, str] = {}
        self.web = LiveWebIndex(self._made, self.recordings(None).store, Path(self._scratch.name))

    def close(self) -> None:
        """Stop the forks, and throw away the rankings made meanwhile."""
        super().close()
        self._scratch.cleanup()

    @cached_property
    def families(self) -> Families:
        """Of everything that is recorded by now."""
        return LiveFamilies(self._made, self.recordings(None).store, self.providers)

    def recordings(self, task_id: str | None) -> Recordings:
        """What was recorded before, and what was added since or will be."""
        if task_id not in self._views:
            rest = super().recordings(task_id)
            store = LiveStore(self._made, rest.store)
            self._views[task_id] = Recordings.over(store, (NAME, *rest.names), policies=self._modes)
        return self._views[task_id]

    def ask(self, request: HttpRequest, is_strict: bool = True) -> HttpReply:
        """The origin's reply, kept. Raises ``Miss`` for one that is not kept, and as the recorder's client does; unless
        ``is_strict``, an origin that is away is a miss too, and no end of the recording."""
        try:
            found = self._client.request(
                request.method, request.url, content=request.body or None, headers=dict(request.headers or {})
            )
        except httpx2.InvalidURL as fault:
            raise ToolError(f"{request.url[:80]!r}... is no address that can be asked: {fault!s:.100}") from None
        except BadInput as fault:
            if is_strict:
                raise
            self.leave_out(request, fault.what)
            raise Miss("http", f"{request.method} {request.url:.300}", f"asked in vain: {fault.what}") from None
        reply = HttpReply(
            found.status_code, {name.lower(): value for name, value in found.headers.items()}, found.content
        )
        why = self.why_not(Recorded(request, reply))
        if why:
            self.leave_out(request, why)
            raise NotKept(request, reply, self._mask(why))
        self.left_out.pop(identity(request.method, request.url, request.body), None)  # it stumbled before
        self._made.add(
            Interaction(
                request.method, request.url, request.body,
                {name.lower(): (value,) for name, value in (request.headers or {}).items()},
                reply.status, found.reason_phrase, {name: (value,) for name, value in reply.headers.items()},
                reply.body,
            )
        )  # fmt: skip
        return reply

    def leave_out(self, request: HttpRequest, why: str) -> None:
        """See to it that a question's answers are not written."""
        key = identity(request.method, request.url, request.body)
        self.left_out[key] = self._mask(why)
        self._made.drop(key)

    def mark_unused(self, requests: Sequence[HttpRequest], why: str) -> None:
        """What was asked did not help who asked; ``leave_out_unhelpful`` decides."""
        for request in requests:
            self._unhelpful[identity(request.method, request.url, request.body)] = request, why

    def leave_out_unhelpful(self) -> None:
        """Leave out what helped nobody: it would be weight in every replay."""
        for key, (request, why) in self._unhelpful.items():
            if key not in self.helped:
                self.leave_out(request, why)

    def why_not(self, exchange: Recorded) -> str:
        """Why an exchange must not be written, "" where it may: a refusal of the key, a stumble, and the caller's."""
        return self._refusal(exchange.request, exchange.reply) or self._why_not(exchange)

    def _refusal(self, request: HttpRequest, reply: HttpReply) -> str:
        words = " ".join(reply.body[:2000].decode("utf-8", "replace").split())[:200]
        if reply.status >= _STUMBLES:
            return f"the origin stumbled with status {reply.status}, which says nothing of the world"
        text = f"which says something of the key and nothing of the world: {words}"
        if reply.status in _REFUSALS and not ReaderProvider().match(request):
            return f"refused with status {reply.status}, {text}"
        if request.url.startswith(f"{ETHERSCAN}/") and "NOTOK" in words and _KEY_WORDS.search(words):
            return f"refused, {text}"
        return ""
