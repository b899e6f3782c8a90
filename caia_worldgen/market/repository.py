"""The code repositories of a told story: whose they are, what is in them, and how they stood at any moment.

The network, its ten projects and some outsiders have an organisation each, named as the project's id; people of the
crowd write in them, under their handles. Everything is a pure function of the story, its seed and a moment: what was
not pushed, published, opened or starred yet is in no answer. All of it is synthetic.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.repository_event import milestones, reports
from caia_worldgen.market.repository_history import ABOUT, Account, Commit, Issue, Past, Plan, Release, draw_past
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene

BRANCH: Final = "main"
_YEAR_S: Final = 365 * DAY_S
_OUTSIDERS: Final = 6
_LANGUAGES: Final = {
    "contracts": ("Solidity", "TypeScript", "Shell"),
    "launchpad": ("Solidity", "TypeScript"),
    "app": ("TypeScript", "CSS", "HTML"),
    "docs": ("MDX", "JavaScript"),
    "node": ("Rust", "Shell", "Dockerfile"),
    "core": ("Go", "Makefile"),
}
_LICENCES: Final = {"contracts": "agpl-3.0", "launchpad": "mit", "app": "mit", "docs": "cc0-1.0", "node": "apache-2.0",
                    "core": "mit"}  # fmt: skip
_TOPICS: Final = {"contracts": ("smart-contracts", "solidity"), "launchpad": ("launchpad", "solidity"),
                  "app": ("frontend", "web3"), "docs": ("documentation",), "node": ("blockchain", "node"),
                  "core": ("library",)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Organisation:
    """Who owns repositories. ``created_at`` in seconds."""

    id: int
    login: str
    name: str
    about: str
    site: str
    created_at: int


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository. What changes with time is asked with a moment, in seconds."""

    id: int
    owner: Organisation
    name: str
    kind: str
    about: str
    licence: str
    topics: tuple[str, ...]
    created_at: int
    past: Past = field(repr=False)
    starred: Sequence[int] = field(repr=False)
    forked: Sequence[int] = field(repr=False)

    @property
    def full_name(self) -> str:
        """``owner/name``."""
        return f"{self.owner.login}/{self.name}"

    def commits(self, now: int) -> Sequence[Commit]:
        """What was pushed by ``now``, newest first."""
        pushed = bisect_right([commit.pushed_at for commit in self.past.commits], now)
        return self.past.commits[:pushed][::-1]

    def releases(self, now: int) -> Sequence[Release]:
        """What was published by ``now``, newest first."""
        return tuple(one for one in self.past.releases[::-1] if one.published_at <= now)

    def latest(self, now: int) -> Release | None:
        """The full release of the newest commit."""
        full = [one for one in self.releases(now) if not one.is_early]
        return max(full, key=lambda one: one.created_at, default=None)

    def issues(self, now: int) -> Sequence[Issue]:
        """What was opened by ``now``, newest first."""
        return tuple(issue for issue in self.past.issues[::-1] if issue.opened_at <= now)

    def open_issues(self, now: int) -> int:
        """How many issues are open at ``now``."""
        return sum(issue.closed_at is None or issue.closed_at > now for issue in self.issues(now))

    def stars(self, now: int) -> int:
        """How many had starred it by ``now``."""
        return bisect_right(self.starred, now)

    def forks(self, now: int) -> int:
        """How many had forked it by ``now``."""
        return bisect_right(self.forked, now)

    def pushed_at(self, now: int) -> int:
        """When the newest commit of ``now`` was pushed; an empty repository says when it was created."""
        commits = self.commits(now)
        return commits[0].pushed_at if commits else self.created_at

    def changed_at(self, now: int) -> int:
        """When it was pushed to or starred last."""
        stars = self.stars(now)
        return max(self.pushed_at(now), self.starred[stars - 1] if stars else 0)

    def contributors(self, now: int) -> Sequence[tuple[Account, int]]:
        """Who wrote the commits of ``now``, and how many: most first, ties by login."""
        counted = Counter(commit.author for commit in self.commits(now))
        return sorted(counted.items(), key=lambda one: (-one[1], one[0].login))

    def languages(self, now: int) -> dict[str, int]:
        """Bytes of code by language, largest first."""
        lines = 400 + sum(
            max(1, change.added - change.removed) for commit in self.commits(now) for change in commit.files
        )
        found = {}
        for place, language in enumerate(_LANGUAGES[self.kind]):
            found[language] = lines * 34 // (1, 7, 31)[place]
        return found


class Repositories:
    """All organisations, accounts and repositories of a story. The chain may end before it is made."""

    def __init__(self, scene: Scene, book: MarketBook) -> None:
        self._begun = scene.main.calendar.times[0] - _YEAR_S
        self._ended = scene.main.calendar.midnight(scene.main.calendar.days)
        self.accounts = tuple(
            _account(person.handle, 150_000_000 + number * 7_919 + scene.seed, self._begun)
            for number, person in enumerate(scene.people.crowd)
        )
        self.repositories: dict[str, Repository] = {}
        outsiders = Rng(f"github/{scene.seed}/outsiders").some(
            [coin for coin in book.coins if coin.role.startswith("outsider")], _OUTSIDERS
        )
        owned = [(role, scene.projects[role].id, scene.projects[role].name, scene.projects[role].site)
                 for role in ("native", *PROJECTS)]  # fmt: skip
        owned += [(coin.role, coin.id, coin.name, f"{coin.id}.example") for coin in outsiders]
        needed, raised = list(milestones(scene)), list(reports(scene))
        for number, (role, login, name, site) in enumerate(owned):
            rng = Rng(f"github/{scene.seed}/{login}")
            about = ABOUT.get(role, f"{name}: software that lives elsewhere")
            owner = Organisation(90_000_000 + number * 104_729 + scene.seed, login, name, about, site,
                                 self._begun - rng.number(3, 400) * DAY_S)  # fmt: skip
            team = rng.some(self.accounts, rng.number(3, 7))
            for kind in _kinds(role, rng):
                begun = self._begun + rng.number(1, 40) * DAY_S if kind == "docs" else self._begun
                plan = Plan(scene.seed, f"{login}/{kind}", role, kind, _LANGUAGES[kind][0], team, self.accounts, begun,
                            self._ended, [one for one in needed if (one.role, one.kind) == (role, kind)],
                            [one for one in raised if (one.role, one.kind) == (role, kind)])  # fmt: skip
                made = self._repository(owner, plan, rng)
                self.repositories[made.full_name] = made

    def _repository(self, owner: Organisation, plan: Plan, rng: Rng) -> Repository:
        created = plan.begun - rng.number(600, DAY_S)
        stars, forks = rng.number(20, 700), rng.number(2, 90)
        number = int(Rng(f"github/{plan.seed}/{plan.name}/id").number(400_000_000, 899_999_999))
        return Repository(
            number, owner, plan.kind, plan.kind, f"{owner.about} ({plan.kind})", _LICENCES[plan.kind],
            tuple(sorted({*_TOPICS[plan.kind], plan.role.split()[0].replace("native", "network")})), created,
            draw_past(plan),
            sorted(rng.number(created, self._ended) for _ in range(stars)),
            sorted(rng.number(created, self._ended) for _ in range(forks)),
        )  # fmt: skip


def _account(handle: str, number: int, begun: int) -> Account:
    created = begun - Rng(f"github/{handle}/account").number(1, 900) * DAY_S
    return Account(number, handle, handle.rstrip("0123456789").title(), f"{handle}@mail.example", created)


def _kinds(role: str, rng: Rng) -> tuple[str, ...]:
    if role == "native":
        return ("node", "launchpad", "docs")
    if role not in PROJECTS:
        return ("core", "docs") if rng.happens(40) else ("core",)
    return ("contracts", *(kind for kind, percent in (("app", 75), ("docs", 55)) if rng.happens(percent)))
