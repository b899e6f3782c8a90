"""The law of GitHub's provider: whatever is answered is what the living origin says, and what was recorded whole is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import Miss
from caia_replay.origin.dice import Dice
from caia_replay.origin.market.repository import Repositories
from caia_replay.origin.services.github import GitHub
from caia_replay.providers.github import GitHubProvider
from caia_replay.providers.github_page import links_of
from tests.github_question import API, SINGLES, get, question
from tests.provider_law import live, recorded, same

DAY_S = 86_400
LISTS = ("commits", "releases", "tags", "contributors", "issues")


@dataclass(frozen=True)
class Taken:
    """A question: ``home`` is ``repos/a/b`` (whatever the address says), ``kind`` a list or what follows."""

    home: str
    kind: str
    asked: Mapping[str, str]
    by_number: bool = False


@dataclass
class Court:
    """One world: recordings of some moments, and questions at ``now``."""

    code: Repositories
    now: int
    ended: int
    provider: Provider = field(default_factory=GitHubProvider)
    drawn: int = 0
    inside: int = 0

    def __post_init__(self) -> None:
        self.service = GitHub(self.code)
        names = sorted(self.code.repositories)
        self.whole, self.parts = names[:9], names[9:19]
        self._families: dict[str, list[Recorded]] = {}
        self.queries = ("lend", "language:solidity stars:>50", "topic:documentation")
        self._record_whole()

    # what is recorded

    def _record_whole(self) -> None:
        """The provider's own widening of the plainest questions, at ``now``."""
        for name in self.whole:
            paths = [f"/repos/{name}/{kind}" for kind in LISTS] + [f"/repos/{name}{path}" for path in SINGLES]
            owner = name.partition("/")[0]
            paths += [f"/orgs/{owner}", f"/users/{owner}", f"/orgs/{owner}/repos", f"/users/{owner}/repos"]
            paths += [f"/repos/{name}/releases/latest"]
            self._take(paths, self.now)
        self._take([f"/search/repositories?{urlencode({'q': query})}" for query in self.queries], self.now)
        self._take(["/rate_limit"], self.now)

    def _take(self, paths: Iterable[str], at: int) -> None:
        for found in recorded(self.service, self.provider, [get(path) for path in paths], at):
            self._keep(found)

    def _keep(self, found: Recorded) -> None:
        self._families.setdefault(self.provider.family(found.request), []).append(found)

    def taken_of(self, request: HttpRequest) -> Taken:
        """A request in the test's own words."""
        parts = urlsplit(request.url)
        pieces = parts.path.strip("/").split("/")
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        if pieces[0] == "repositories":
            name = next(one.full_name for one in self.code.repositories.values() if str(one.id) == pieces[1])
            return Taken(f"repos/{name}", "/".join(pieces[2:]), asked, True)
        if pieces[0] == "repos":
            return Taken("/".join(pieces[:3]).lower(), "/".join(pieces[3:]), asked)
        if pieces[0] in ("organizations", "user"):
            owner = next(one for one in self.code.organisations.values() if str(one.id) == pieces[1])
            kind = {"organizations": "orgs", "user": "users"}[pieces[0]]
            return Taken(f"{kind}/{owner.login}", "repos", asked, True)
        return Taken("/".join(pieces[:2]), "/".join(pieces[2:]), asked)

    # the law

    def hold(self, draws: int) -> float:
        """Check so many questions, drawn by hypothesis; which part of them was inside."""

        @settings(max_examples=draws, deadline=None, database=None, phases=(Phase.generate,))
        @given(st.integers(0, 2**62))
        def check(number: int) -> None:
            self.check(question(self, Dice(f"law/{number}")))

        check()
        return self.inside / self.drawn

    def check(self, request: HttpRequest) -> None:
        """An answer is the living one, Link header included; a plain list of what was recorded whole is answered."""
        self.drawn += 1
        family = self._families.get(self.provider.family(request), [])
        try:
            told = self.provider.narrow(family, request, self.now)
        except Miss:
            assert not self._is_whole(self.taken_of(request)), f"a miss inside: {request.url}"
            return
        self.inside += 1
        wanted = live(self.service, request, self.now)
        assert same(told, wanted), request.url
        assert self._led(told) == self._led(wanted), (request.url, told.headers.get("link"), wanted.headers.get("link"))
        for found in family:
            if found.request.url == request.url and found.reply == wanted:
                assert told is found.reply or told in [other.reply for other in family], request.url

    def _is_whole(self, asked: Taken) -> bool:
        """Whether it was recorded at ``now`` to its end: lists by any window and page, but not by an author's name."""
        if asked.by_number or asked.home.removeprefix("repos/") not in self.whole or "author" in asked.asked:
            return False
        return asked.kind in ("commits", "releases", "tags", "contributors") or f"/{asked.kind}".rstrip("/") in SINGLES

    def _led(self, reply: HttpReply) -> dict[str, Taken]:
        """Where a Link header leads, whatever it calls the place."""
        found = {name: self.taken_of(get(url.removeprefix(API))) for name, url in links_of(reply).items()}
        return {name: Taken(one.home, one.kind, one.asked) for name, one in found.items()}
