"""Questions of the releases of repositories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import OR_NONE, OR_NONE_CHINESE, iso, one_day, pages_of
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step
from caia_worldgen.tasks.shelf import Shelf
from caia_worldgen.web.site_text import slug

_DATE: Final = "'[0-9]{4}-[0-9]{2}-[0-9]{2}'"
_BETWEEN: Final = (
    "= join('', list('from datetime import date as d; print((d.fromisoformat(\"', "
    f"match($2.published, {_DATE}), '\") - d.fromisoformat(\"', match($1.published, {_DATE}), '\")).days)'))"
)
_NEWEST: Final = (
    '= join(\'\', list(\'import re; listed = re.findall("v([0-9]+)[.]([0-9]+)[.]([0-9]+)(?![-.0-9])", """\', '
    '$1.text, \'"""); print("v" + ".".join(map(str, max(tuple(map(int, one)) for one in listed))))\'))'
)
"""The largest version that no rc follows."""


def release_day(story: Story, rng: Rng) -> Iterator[Asked]:
    """The day on which a named version was published, by its own release notes."""
    stage, pages = story.scene.main, pages_of(story)
    known = [one for _, one in sorted(story.code.repositories.items()) if one.past.releases]
    for repository in rng.some(known, len(known)):
        full = [one for one in repository.past.releases if not one.is_early]
        one, host = rng.one(full), f"code.{repository.owner.site}"
        page = pages.get(f"https://{host}/{repository.name}/releases/{slug(one.tag)}")
        if page is None or page.published is None or not one_day(page.published, one.published_at):
            continue
        height = story.height_after(stage, page.published, rng)
        if height is None:
            continue
        question = (
            f"On which day (UTC) was {one.tag} of {repository.full_name} published, according to its release notes "
            f"under {host}/{repository.name}/releases? {OR_NONE}"
        )
        chinese = (
            f"根据 {host}/{repository.name}/releases 下的发布说明，{repository.full_name} 的 {one.tag} "
            f"版本是在哪一天（UTC）发布的？{OR_NONE_CHINESE}"
        )
        chain = gold("match($1.published, '[0-9]{4}-[0-9]{2}-[0-9]{2}')", step("url_fetching", url=page.url))
        claim = f"{repository.full_name} {one.tag} was published on {{planted}}."
        yield Asked(question, stage, height, AnswerSpec("date", (iso(one.published_at),)), chain,
                    repository.owner.login, claim, chinese)  # fmt: skip


def release_gap(story: Story, rng: Rng) -> Iterator[Asked]:
    """How many days lie between two versions of a repository: two pages, and the calendar between them."""
    # Days between versions; fewer are guessed.
    least = 20
    stage, pages, told_days = story.scene.main, pages_of(story), set[int]()
    known = [one for _, one in sorted(story.code.repositories.items()) if one.past.releases]
    for repository in rng.some(known, len(known)):
        full = [one for one in repository.past.releases if not one.is_early]
        if len(full) < 3:
            continue
        at = rng.number(0, len(full) - 3)
        first, second = full[at], full[at + 2]
        found = [pages.get(f"https://code.{repository.owner.site}/{repository.name}/releases/{slug(one.tag)}")
                 for one in (first, second)]  # fmt: skip
        told = [page.published for page in found if page is not None and page.published is not None]
        if len(told) < 2 or not (one_day(told[0], first.published_at) and one_day(told[1], second.published_at)):
            continue
        height = story.height_after(stage, max(told), rng)
        if height is None:
            continue
        days = second.published_at // DAY_S - first.published_at // DAY_S
        if days < least or days in told_days:
            continue
        told_days.add(days)
        host = f"code.{repository.owner.site}/{repository.name}/releases"
        question = (
            f"How many days did it take from {first.tag} to {second.tag} of {repository.full_name}, by the days (UTC) "
            f"on which their release notes under {host} were published?"
        )
        chinese = (
            f"按 {host} 下发布说明的发布日期（UTC）计算，{repository.full_name} 从 {first.tag} 到 {second.tag} "
            "相隔多少天？"
        )
        calls = [step("url_fetching", url=page.url) for page in found if page is not None]
        chain = gold("match($3.stdout, '[0-9]+')", *calls, step("code_execution", code=_BETWEEN))
        claim = f"From {first.tag} to {second.tag} {repository.full_name} took {{planted}} days."
        yield Asked(question, stage, height, number(days, "days"), chain,
                    repository.owner.login, claim, chinese)  # fmt: skip


def release_tag(story: Story, rng: Rng) -> Iterator[Asked]:
    """The latest full release that a repository's changelog lists; candidates do not count."""
    stage, shelf = story.scene.main, Shelf(story)
    known = [one for _, one in sorted(story.code.repositories.items()) if one.past.releases]
    for repository in rng.some(known, len(known)):
        full, host = repository.full_name, f"code.{repository.owner.site}/{repository.name}/changelog"
        page = shelf.page(f"https://{host}")
        height = shelf.height(f"https://{host}", stage, rng)
        if page is None or page.page.known_since is None or height is None:
            continue
        # What came later, the page does not know.
        latest = repository.latest(page.page.known_since)
        if latest is None:
            continue
        question = (
            f"What is the latest full release of {full} that its changelog at {host} lists? Candidates (tags with rc) "
            "do not count. Answer with the tag."
        )
        chinese = (
            f"根据 {host} 上的变更日志，其中列出的 {full} 最新正式版本是哪个？带 rc 的候选版不算，请回答版本标签。"
        )
        chain = gold(
            "match($2.stdout, 'v[0-9]+[.][0-9]+[.][0-9]+')",
            step("url_fetching", url=f"https://{host}"),
            step("code_execution", code=_NEWEST),
        )
        answer = AnswerSpec("text", (latest.tag,), aliases=(latest.tag[1:],))
        claim = f"The latest full release of {full} is {{planted}}."
        yield Asked(question, stage, height, answer, chain, repository.owner.login, claim, chinese,
                    _never_made(story, rng))  # fmt: skip


def _never_made(story: Story, rng: Rng) -> tuple[str, ...]:
    """Tags that no repository has."""
    made = {one.tag for repository in story.code.repositories.values() for one in repository.past.releases}
    tags = (f"v{major}.{minor}.{patch}" for major in (0, 1, 2) for minor in range(2, 9) for patch in (5, 6, 7))
    return tuple(rng.some([tag for tag in tags if tag not in made], 3))
