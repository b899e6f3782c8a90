"""The law of GitHub's provider: whatever is answered is what the living origin says, and what was recorded whole is."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Provider
from caia_replay.errors import Miss
from caia_replay.providers.github.page import links_of
from caia_replay.providers.github.provider import GitHubProvider
from caia_worldgen.market.repository import Repositories
from caia_worldgen.rng import Rng
from caia_worldgen.services.github import GitHub
from caia_worldgen.services.github_body import iso
from tests.provider_law import live, of_family, recorded, same

LISTS = ("commits", "releases", "tags", "contributors", "issues")
SINGLES = ("", "/languages", "/topics", "/readme", "/license", "/contents/README.md", "/releases/latest")


def get(path: str) -> HttpRequest:
    """A request to the API."""
    return HttpRequest("GET", "https://api.github.com" + path)


@dataclass
class Court:
    """One world: some repositories recorded whole at ``now``, and questions about them and two others."""

    code: Repositories
    now: int
    ended: int
    provider: Provider = field(default_factory=GitHubProvider)
    drawn: int = 0
    inside: int = 0

    def __post_init__(self) -> None:
        self.service, names = GitHub(self.code), sorted(self.code.repositories)
        self.whole, self.others = names[:9], names[9:11]
        paths = [f"/repos/{name}/{kind}" for name in self.whole for kind in LISTS]
        paths += [f"/repos/{name}{path}" for name in self.whole for path in SINGLES]
        self._held = recorded(self.service, self.provider, map(get, paths), self.now)

    def hold(self, draws: int) -> float:
        """Check so many questions, drawn by hypothesis; which part of them was inside."""

        @settings(max_examples=draws, deadline=None, database=None, phases=(Phase.generate,))
        @given(st.integers(0, 2**62))
        def check(number: int) -> None:
            self.check(Rng(f"law/{number}"))

        check()
        return self.inside / self.drawn

    def check(self, dice: Rng) -> None:
        """An answer is the living one, and its Link header leads on as far; what was recorded whole is answered."""
        name = dice.one(self.whole if dice.happens(88) else self.others)
        kind = dice.one((*LISTS, dice.one(SINGLES)))
        request = get(f"/repos/{name.upper() if dice.happens(5) else name}" + (
            f"/{kind}?{urlencode(self._asked(dice, kind))}" if kind in LISTS else kind))  # fmt: skip
        self.drawn += 1
        try:
            told = self.provider.narrow(of_family(self.provider, self._held, request), request, self.now)
        except Miss:
            assert name not in self.whole or kind == "issues", f"a miss inside: {request.url}"
            return
        self.inside += 1
        wanted = live(self.service, request, self.now)
        assert same(told, wanted), request.url
        assert _led(told) == _led(wanted), (request.url, told.headers.get("link"), wanted.headers.get("link"))

    def _asked(self, dice: Rng, kind: str) -> dict[str, str]:
        """Pages of any size, moments of commits, and sorts of issues."""
        size = dice.one((1, 2, 5, 30, 100, 250))
        found = {"per_page": str(size), "page": str(dice.number(1, 1 + 260 // min(size, 100)))}
        if kind == "commits" and dice.happens(45):
            found["since"] = iso(self.now - dice.number(0, 90) * 86_400)
        if kind == "issues":
            found["state"] = dice.one(("open", "closed", "all"))
        return found


def _led(reply: HttpReply) -> dict[str, dict[str, str]]:
    """What a Link header asks for, whatever it calls the place."""
    return {name: dict(parse_qsl(urlsplit(url).query)) for name, url in links_of(reply).items()}
