"""The law of GitHub's provider: what was recorded is written down as data, and coverage is computed from the truth.

A recording is a ``Taken``: whose list, which part of it, by whom cut, when. From the repositories themselves and these
alone ``Court.holds`` says whether a question must be answered; the provider's code is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import Miss
from caia_replay.origin.dice import Dice
from caia_replay.origin.market.repository import Repositories, Repository
from caia_replay.origin.market.repository_history import Commit
from caia_replay.origin.services.github import GitHub
from caia_replay.origin.services.github_body import iso
from caia_replay.providers.github import GitHubProvider
from caia_replay.providers.github_page import links_of
from tests.github_question import API, SINGLES, get, question, size_of
from tests.provider_law import live, recorded, same

DAY_S = 86_400
LISTS = ("commits", "releases", "tags", "contributors", "issues")
PAGING = ("per_page", "page")


@dataclass(frozen=True)
class Taken:
    """A recorded question: ``home`` is ``repos/a/b`` (whatever the address says), ``kind`` a list or what follows."""

    home: str
    kind: str
    asked: Mapping[str, str]
    at: int
    by_number: bool = False

    @property
    def chosen(self) -> dict[str, str]:
        """Its parameters without page and size."""
        return {name: value for name, value in self.asked.items() if name not in PAGING}


@dataclass
class Court:
    """One world: recordings of some moments, and questions at ``now``."""

    code: Repositories
    now: int
    ended: int
    provider: Provider = field(default_factory=GitHubProvider)
    taken: list[Taken] = field(default_factory=list)
    drawn: int = 0
    inside: int = 0

    def __post_init__(self) -> None:
        self.service = GitHub(self.code)
        names = sorted(self.code.repositories)
        self.whole, self.parts = names[:9], names[9:19]
        self._families: dict[str, list[Recorded]] = {}
        self.queries = ("lend", "language:solidity stars:>50", "topic:documentation")
        self._record_whole()
        self._record_parts()

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

    def _record_parts(self) -> None:
        """What strangers recorded: other sizes, windows, moments, and lists with holes."""
        parts, early = self.parts, self.now - 20 * DAY_S
        some = [f"/repos/{parts[0]}/commits?per_page=7&page={page}" for page in (1, 2, 3)]
        window = {"since": iso(self.now - 120 * DAY_S), "until": iso(self.now - 30 * DAY_S)}
        some += [
            f"/repos/{parts[1]}/commits?{urlencode({**window, 'per_page': 20, 'page': page})}" for page in range(1, 9)
        ]
        home = self.code.repositories[parts[2]]
        author = home.contributors(self.now)[0][0].login
        some += [f"/repos/{parts[2]}/commits?per_page=100&author={author}"]
        some += [f"/repos/{parts[3]}/issues", f"/repos/{parts[3]}/issues?labels=bug&state=all"]
        some += [f"/repos/{parts[4]}/commits?page=2", f"/repos/{parts[4]}/tags?per_page=4&page=2"]
        full = len(self.code.repositories[parts[5]].releases(self.now))
        some += [f"/repos/{parts[5]}/releases?per_page={max(1, full)}"]
        some += [f"/repositories/{self.code.repositories[parts[6]].id}/commits?per_page=10&page=1"]
        some += [f"/repos/{parts[7]}/issues?state=closed&sort=updated&direction=asc"]
        self._ask(some, self.now)
        self._ask([f"/repos/{name}/releases?per_page=5&page={page}" for name in (parts[8], *self.whole[:2], *parts[:2])
                   for page in range(1, 5) if page < 4], self.ended)  # fmt: skip
        self._ask([f"/repos/{parts[8]}/commits?per_page=100&page={page}" for page in (1, 2, 3)], self.ended)
        self._ask([f"/repos/{parts[9]}/{kind}?per_page=100" for kind in ("releases", "issues", "tags")], early)
        for name in (*self.whole[:3], parts[8]):
            commits = self.code.repositories[name].past.commits
            self._ask([f"/repos/{name}/commits/{one.sha}" for one in commits[::9]], self.ended)
            self._ask([f"/repos/{name}/commits/{one.sha}" for one in commits[4::18] if one.pushed_at <= early], early)

    def _take(self, paths: Iterable[str], at: int) -> None:
        for found in recorded(self.service, self.provider, [get(path) for path in paths], at):
            self._keep(found, at)

    def _ask(self, paths: Iterable[str], at: int) -> None:
        for path in paths:
            self._keep(Recorded(get(path), live(self.service, get(path), at)), at)

    def _keep(self, found: Recorded, at: int) -> None:
        self._families.setdefault(self.provider.family(found.request), []).append(found)
        self.taken.append(self.taken_of(found.request, at))

    def taken_of(self, request: HttpRequest, at: int) -> Taken:
        """A request in the test's own words."""
        parts = urlsplit(request.url)
        pieces = parts.path.strip("/").split("/")
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        if pieces[0] == "repositories":
            name = next(one.full_name for one in self.code.repositories.values() if str(one.id) == pieces[1])
            return Taken(f"repos/{name}", "/".join(pieces[2:]), asked, at, True)
        if pieces[0] == "repos":
            return Taken("/".join(pieces[:3]).lower(), "/".join(pieces[3:]), asked, at)
        if pieces[0] in ("organizations", "user"):
            owner = next(one for one in self.code.organisations.values() if str(one.id) == pieces[1])
            kind = {"organizations": "orgs", "user": "users"}[pieces[0]]
            return Taken(f"{kind}/{owner.login}", "repos", asked, at, True)
        return Taken("/".join(pieces[:2]), "/".join(pieces[2:]), asked, at)

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
        """Inside, the answer is the living one, Link header included; outside, it is a miss."""
        self.drawn += 1
        family = self._families.get(self.provider.family(request), [])
        if not self.holds(self.taken_of(request, self.now)):
            try:
                told = self.provider.narrow(family, request, self.now)
            except Miss:
                return
            raise AssertionError(f"answered outside of what is recorded: {request.url} {told.status}")
        self.inside += 1
        told, wanted = self.provider.narrow(family, request, self.now), live(self.service, request, self.now)
        assert same(told, wanted), request.url
        assert self._led(told) == self._led(wanted), (request.url, told.headers.get("link"), wanted.headers.get("link"))
        for found in family:
            if found.request.url == request.url and found.reply == wanted:
                assert told is found.reply or told in [other.reply for other in family], request.url

    def _led(self, reply: HttpReply) -> dict[str, Taken]:
        """Where a Link header leads, whatever it calls the place."""
        found = {name: self.taken_of(get(url.removeprefix(API)), 0) for name, url in links_of(reply).items()}
        return {name: Taken(one.home, one.kind, one.asked, 0) for name, one in found.items()}

    # coverage, from the truth

    def holds(self, asked: Taken) -> bool:
        """Whether the recordings hold the answer to a question at ``now``."""
        linked = self._is_linked(asked)
        mine = [one for one in self.taken if one.home == asked.home and (one.by_number == asked.by_number or linked)]
        if any((one.kind, one.asked, one.at) == (asked.kind, asked.asked, self.now) for one in mine):
            return True
        if asked.kind.startswith("commits/"):
            return self._commit_known(mine, asked)
        if asked.kind.startswith("releases/"):
            return self._release_known(mine, asked)
        if asked.kind not in (*LISTS, "repos") and asked.home != "search/repositories":
            return False
        mine = [one for one in mine if one.kind == asked.kind]
        if asked.kind == "releases" and self._whole_at_end(mine, asked):
            return True
        groups: dict[str, list[Taken]] = {}
        for one in mine:
            if one.at == self.now:
                groups.setdefault(urlencode(sorted(one.chosen.items())), []).append(one)
        return any(self._from_group(found, asked) for found in groups.values())

    def _from_group(self, group: Sequence[Taken], asked: Taken) -> bool:
        truth = self.list_of(group[0], self.now)
        known, ends, spans = set[int](), False, [0, 10**9]
        for one in group:
            size, page = size_of(one.asked), int(one.asked.get("page", "1"))
            start = (page - 1) * size
            known |= set(range(start, min(start + size, len(truth))))
            if start + size >= len(truth):
                ends = ends or len(truth) < start + size or page > 1
            else:
                last = -(-len(truth) // size)
                spans = [max(spans[0], (last - 1) * size + 1, start + size + 1), min(spans[1], last * size)]
        if asked.home == "search/repositories":
            ends = True
        prefix = next(place for place in range(len(truth) + 1) if place not in known)
        if meaning(group[0].chosen) == meaning(asked.chosen):
            size, page = size_of(asked.asked), int(asked.asked.get("page", "1"))
            spans = [len(truth), len(truth)] if ends else [max(spans[0], *(at + 1 for at in known), 0), spans[1]]
            ends = spans[0] == spans[1]
            needed = range((page - 1) * size, min(page * size, len(truth)) if ends else page * size)
            return known.issuperset(needed) and pages(spans[0], size) == pages(spans[1], size)
        if asked.kind == "commits":
            return self._commits_known(truth[:prefix], ends and prefix == len(truth), group[0].chosen, asked.chosen)
        return (
            asked.kind == "issues"
            and ends
            and prefix == len(truth)
            and self._issues_known(group[0].chosen, asked.chosen, truth)
        )

    def _commits_known(
        self, known: Sequence[Commit], ends: bool, had: Mapping[str, str], asked: Mapping[str, str]
    ) -> bool:
        if had.get("author", asked.get("author")) != asked.get("author"):
            return False
        if had.get("since", "") > asked.get("since", "") or asked.get("until", "9") > had.get("until", "9"):
            return False
        if asked.get("author") and not had.get("author") and asked["author"] not in {one.author.login for one in known}:
            return False
        return ends or bool(asked.get("since") and known and iso(known[-1].committed_at) < asked["since"])

    def _issues_known(self, had: Mapping[str, str], asked: Mapping[str, str], truth: Sequence[Any]) -> bool:
        if had.get("labels") or had.get("state", "open") not in ("all", asked.get("state", "open")):
            return False
        order = (had.get("sort", "created"), had.get("direction", "desc"))
        wanted = (asked.get("sort", "created"), asked.get("direction", "desc"))
        figure = {"created": "created_at", "updated": "updated_at", "comments": "comments"}[wanted[0]]
        state, labels = asked.get("state", "open"), set(filter(None, asked.get("labels", "").split(",")))
        found = [one[figure] for one in truth if state in ("all", one["state"])
                 and labels <= {label["name"] for label in one["labels"]}
                 and one["updated_at"] >= asked.get("since", "")]  # fmt: skip
        return order == wanted or len(set(found)) == len(found)

    def _whole_at_end(self, mine: Sequence[Taken], asked: Taken) -> bool:
        """Whether all releases were recorded at the story's end, with the pages' own proof that there are no others."""
        total = len(self.list_of(Taken(asked.home, "releases", {}, 0), self.ended))
        pages_ = [one for one in mine if one.at == self.ended > self.now and not one.chosen and not asked.chosen]
        known = {place for one in pages_ for place in places(one.asked) if place < total}
        ends = any(total < places(one.asked).stop or (total == places(one.asked).stop and "page" in one.asked
                   and one.asked["page"] != "1") for one in pages_)  # fmt: skip
        was_there = bool(self.list_of(Taken(asked.home, "releases", {}, 0), self.now))
        return len(known) == total and ends and was_there

    def _release_known(self, mine: Sequence[Taken], asked: Taken) -> bool:
        home = self.code.repositories[asked.home.removeprefix("repos/")]
        mine = [one for one in mine if one.at >= self.now]
        lists = [one for one in mine if one.kind == "releases"]
        if asked.kind == "releases/latest":
            full = [one for one in home.releases(self.now) if not one.is_early]
            is_whole = self._whole_at_end(lists, Taken(asked.home, "releases", {}, 0)) or self._from_group_of(
                lists, asked
            )
            return bool(full) and is_whole and full[0] is max(full, key=lambda one: one.created_at)
        tag = asked.kind.removeprefix("releases/tags/")
        for one in lists:
            shown = self.list_of(one, one.at)
            for place in places(one.asked):
                if (
                    place < len(shown)
                    and shown[place]["tag_name"] == tag
                    and shown[place]["published_at"] <= iso(self.now)
                ):
                    return True
        return any(one.kind == "releases/latest" and self._latest_is(home, one.at, tag) for one in mine)

    def _latest_is(self, home: Repository, at: int, tag: str) -> bool:
        newest = home.latest(at)
        return newest is not None and newest.tag == tag and newest.published_at <= self.now

    def _from_group_of(self, lists: Sequence[Taken], asked: Taken) -> bool:
        here = [one for one in lists if one.at == self.now]
        size = str(max(1, len(self.list_of(Taken(asked.home, "releases", {}, 0), self.now))))
        ends = any(places(one.asked).stop > int(size) for one in here)
        return ends and self._from_group(here, Taken(asked.home, "releases", {"per_page": size}, self.now))

    def _commit_known(self, mine: Sequence[Taken], asked: Taken) -> bool:
        home = self.code.repositories[asked.home.removeprefix("repos/")]
        commit = next((one for one in home.past.commits if one.sha == asked.kind.removeprefix("commits/")), None)
        if commit is None or asked.asked:
            return False
        made = [one.at for one in mine if one.kind == asked.kind and commit.pushed_at <= one.at]
        return any(at <= self.now or (commit.merged and commit.committed_at <= self.now) for at in made)

    def _is_linked(self, asked: Taken) -> bool:
        """Whether some recording of this family by the name told the number, in its Link header."""
        named = [one for one in self.taken if (one.home, one.kind) == (asked.home, asked.kind) and not one.by_number]
        return any(
            len(self.list_of(one, one.at)) > size_of(one.asked) for one in named if one.kind in (*LISTS, "repos")
        )

    def list_of(self, one: Taken, at: int) -> Sequence[Any]:
        """The whole list a question is about, at a moment."""
        if one.kind == "commits":
            home = self.code.repositories[one.home.removeprefix("repos/")]
            return [commit for commit in home.commits(at)
                    if one.asked.get("since", "") <= iso(commit.committed_at) <= one.asked.get("until", "9")
                    and one.asked.get("author", commit.author.login) == commit.author.login]  # fmt: skip
        query = urlencode({**one.chosen, "per_page": "100"})
        path = f"/{one.home}/{one.kind}".rstrip("/")
        body = strict(live(self.service, get(f"{path}?{query}"), at))
        found: Sequence[Any] = body["items"] if isinstance(body, dict) else body
        assert len(found) < 100
        return found


def strict(reply: HttpReply) -> Any:
    """A reply's JSON."""
    return strict_json(reply.body)


def places(asked: Mapping[str, str]) -> range:
    """The places of a list that a page may hold."""
    size, page = size_of(asked), int(asked.get("page", "1"))
    return range((page - 1) * size, page * size)


def pages(items: int, size: int) -> int:
    """How many pages a list of so many items has."""
    return max(1, -(-items // size))


def meaning(chosen: Mapping[str, str]) -> dict[str, str]:
    """What a choice means, with what the vendor takes for granted written out."""
    return {"state": "open", "sort": "created", "direction": "desc", **chosen}
