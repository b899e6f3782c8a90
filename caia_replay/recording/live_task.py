"""What one task can see of a world that is being recorded: what is missing is asked for, and answered as in replay."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from caia_replay.cassette.identity import identity
from caia_replay.cassette.url import canonical_url
from caia_replay.core.provider import HttpReply, HttpRequest, Provider
from caia_replay.core.task import Task
from caia_replay.core.tool import Served
from caia_replay.core.world import Page, Post, Ranked, RankedPost
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.endpoint import provider_of
from caia_replay.providers.reader.provider import ORIGIN as READER
from caia_replay.providers.reader.provider import ReaderProvider, page_request, page_url
from caia_replay.providers.search_api.provider import result_links
from caia_replay.recording.live_world import LiveWorld, NotKept
from caia_replay.recording.page_source import FIRST_RESULTS, page_as_of, posts_question, web_question
from caia_replay.recording.record_questions import NotAnswered, ask_pages
from caia_replay.world.world import NO_OVERLAY, TaskWorld

_NOT_THERE: Final = (Miss, ToolError)
"""What could not be had is in the report, and a ranking goes on without it."""


class LiveTaskWorld(TaskWorld):
    """What a task can see of a ``LiveWorld``. ``used`` are the identities of every exchange its answers may rest on.

    ``is_strict``: an origin that is away ends the recording; else it is a miss.
    """

    world: LiveWorld

    def __init__(self, world: LiveWorld, task: Task, is_strict: bool = True) -> None:
        super().__init__(world, task, NO_OVERLAY)
        self._is_strict = is_strict
        self.used: set[bytes] = set()
        self._answered: set[tuple[str, str, bytes]] = set()
        self._searched: set[tuple[str, str]] = set()
        self._sought: set[str] = set()
        self._new: list[HttpRequest] = []

    def answer(self, request: HttpRequest) -> tuple[HttpReply, Served]:
        """The answer as a replay will give it; what is missing for it is asked for first. Raises as in replay, and
        ``BadInput`` for an origin that is away."""
        request = replace(request, url=canonical_url(request.url).text())
        provider = provider_of(self.world.providers, request)
        if isinstance(provider, ReaderProvider):
            return super().answer(request)
        wide = provider.widen(request, self.clock.now)
        self._note(*wide)
        if self._holds_of(provider, request):  # else a miss is certain, and explaining it costs
            try:
                found = super().answer(request)
                self._note_family(request)
                self._mark_used(wide)
                return found
            except Miss:
                pass
        try:
            self._ask_for(provider, wide)
        except NotKept:
            if any(one.url == request.url and one.body == request.body for one in wide):
                raise
            self._ask_for(provider, (request,))  # a plan may refuse the long history and tell the short one
        try:
            found = super().answer(request)
        except Miss as miss:
            self.world.mark_unused(self._new, f"nothing of it can be shown at the task's moment: {miss.detail.where}")
            raise
        self._mark_used([*wide, *self._new])
        return found

    def record(self, request: HttpRequest) -> None:
        """Ask what no tool asks, and keep it where it answers its own question. Raises ``Miss`` and ``ToolError``."""
        request = replace(request, url=canonical_url(request.url).text())
        if isinstance(provider_of(self.world.providers, request), ReaderProvider):
            self.page(request.url.removeprefix(f"{READER}/"))
        else:
            self.answer(request)

    def page(self, url: str) -> Page:
        """A page as it was at the task's moment."""
        address = page_url(url)
        try:
            found = super().page(address)
            self._note_family(page_request(address))
            return found
        except Miss:
            if address in self._sought:
                raise
        self._find_page(address)
        try:
            found = super().page(address)
        except Miss as miss:
            self.world.mark_unused(self._new, f"nothing of it can be shown at the task's moment: {miss.detail.where}")
            raise
        self._mark_used(self._new)
        return found

    def search(self, query: str, limit: int, offset: int = 0, tbs: str = "") -> tuple[Ranked, ...]:
        """Pages by the local index, after the search API was asked and the first pages it names were read."""
        if (query, tbs) not in self._searched:
            self._searched.add((query, tbs))
            for link in self._links(query, tbs):
                with suppress(*_NOT_THERE):
                    self.page(link)
        return super().search(query, limit, offset, tbs)

    def search_posts(
        self, query: str, limit: int, offset: int = 0, tbs: str = "", newest_first: bool = False
    ) -> tuple[RankedPost, ...]:
        """Posts by the local index, after the social network was asked."""
        if ("posts", query) not in self._searched:
            self._searched.add(("posts", query))
            self._find_posts(query)
        return super().search_posts(query, limit, offset, tbs, newest_first)

    def post(self, number: str) -> Post:
        """A post that was recorded, or is now."""
        try:
            return super().post(number)
        except Miss:
            if ("post", number) in self._searched:
                raise
        self._searched.add(("post", number))
        self._find_posts(f"conversation:{number}")
        return super().post(number)

    def _find_posts(self, query: str) -> None:
        """Ask the social network and keep what it says, for the index to read: a list of now answers no question of
        the moment itself, and the posts in it say when they were written."""
        asked = posts_question(query, self.clock.now)
        provider = provider_of(self.world.providers, asked)
        wide = list(provider.widen(asked, self.clock.now))[:1]  # the others tell the same in other words, for money
        self._note(*wide)
        for request in wide:
            with suppress(*_NOT_THERE):
                self._recorded(request)

    def _links(self, query: str, tbs: str) -> tuple[str, ...]:
        request = web_question(query, tbs, self.clock.now)
        self._note(request)
        try:
            reply = self._recorded(request)
        except NotKept as known:
            reply = known.reply  # a list that names later pages is not kept, and still leads to the others
        try:
            return tuple(dict.fromkeys(result_links(reply)))[:FIRST_RESULTS]
        except Miss:
            return ()

    def _recorded(self, request: HttpRequest) -> HttpReply:
        key = self._recordings.identify(request.method, request.url, request.body)[0]
        if self._recordings.holds(key):
            return list(self._recordings.lasting(key))[-1][1]
        reply = self.world.ask(request, self._is_strict)
        if ReaderProvider().match(request):  # that there is no capture stays worth knowing
            self._new.append(request)
        return reply

    def _find_page(self, address: str) -> None:
        """Record the page as of the task's moment, once."""
        self._sought.add(address)
        self._new = []

        def ask(request: HttpRequest) -> HttpReply:
            self._note(request)
            return self._recorded(request)

        with suppress(*_NOT_THERE):
            page_as_of(ask, address, self.clock.now)

    def _mark_used(self, requests: Sequence[HttpRequest]) -> None:
        self.world.helped.update(identity(one.method, one.url, one.body) for one in requests)

    def _ask_for(self, provider: Provider, wide: Sequence[HttpRequest]) -> None:
        self._new = []
        for request in wide:
            try:
                ask_pages(self._ask, provider, request, self._answered, self.clock.now)
            except NotAnswered as fault:
                self.world.leave_out(fault.request, fault.why)
                raise Miss(
                    "http", f"{request.method} {request.url:.300}", f"asked, and not kept: {fault.why}"
                ) from None

    def _ask(self, request: HttpRequest) -> HttpReply:
        self._note(request)
        try:
            reply = self.world.ask(request, self._is_strict)
        except Miss:
            self._answered.discard((request.method, request.url, request.body))  # the next who wants it asks again
            raise
        self._new.append(request)
        return reply

    def _holds_of(self, provider: Provider, request: HttpRequest) -> bool:
        """Whether anything is there that an answer could be made of."""
        key = self._recordings.identify(request.method, request.url, request.body)[0]
        of_family = self.world.families.of(key, self.world.providers)
        return provider.has_other_sources or self._recordings.holds(key) or bool(of_family)

    def _note_family(self, request: HttpRequest) -> None:
        """What was recorded before of a question's family: its answer came of it."""
        key = self._recordings.identify(request.method, request.url, request.body)[0]
        members = self.world.families.of(key, self.world.providers)
        self.used.update(members)
        self.world.helped.update(members)

    def _note(self, *requests: HttpRequest) -> None:
        self.used.update(identity(found.method, found.url, found.body) for found in requests)
