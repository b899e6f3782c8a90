"""The web of an economy: who writes it, and how it is recorded.

Pages are read in weekly sweeps, as a web archive reads them: a page is recorded in the first sweep after it appeared,
and an undated page is known from that sweep on. Posts are recorded once, at the story's end, from the timelines of
everybody who ever posted. Searches are not recorded: tools rank the recorded pages themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlencode, urlsplit

from caia_replay.cassette.secret import SCRUBBED
from caia_replay.core.provider import HttpRequest
from caia_replay.errors import CheckFailed
from caia_replay.providers.reader.provider import page_request
from caia_replay.world.world import FrozenWorld
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.repository import Repositories
from caia_worldgen.questions import digest
from caia_worldgen.scene import Scene
from caia_worldgen.services.jina import Jina
from caia_worldgen.services.serper import Serper
from caia_worldgen.services.service import Service
from caia_worldgen.services.x_api import XApi
from caia_worldgen.web import (
    blog_post,
    chinese_news,
    chinese_page,
    chinese_post,
    dashboard_page,
    docs_page,
    explorer_page,
    farm,
    forum_thread,
    front_page,
    matter_page,
    news,
    notice,
    number,
    project_site,
    repository_page,
    research_note,
    social,
)
from caia_worldgen.web.cast import draw_cast
from caia_worldgen.web.profile import users
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import MOST_ALIKE, PageWriter, PostWriter, Web, WebReport, report, write_web

PAGE_WRITERS: Final[tuple[PageWriter, ...]] = (
    news.pages,
    project_site.pages,
    docs_page.pages,
    blog_post.pages,
    repository_page.pages,
    notice.pages,
    research_note.pages,
    dashboard_page.pages,
    explorer_page.pages,
    forum_thread.pages,
    chinese_news.pages,
    chinese_page.pages,
    matter_page.pages,
    farm.pages,
    digest.pages,
)
POST_WRITERS: Final[tuple[PostWriter, ...]] = (social.posts, chinese_post.posts, matter_page.posts)
X: Final = "https://api.x.com/2"
_KEY: Final = {"Authorization": f"Bearer {SCRUBBED}"}
"""The social network answers nobody without one."""
_SWEEP_DAYS: Final = 7
_NAMES_AT_ONCE: Final = 100
_GUESSES: Final = ("about", "blog", "docs", "robots.txt")


def web_of(
    scene: Scene,
    book: MarketBook,
    metrics: Metrics,
    code: Repositories,
    page_writers: Sequence[PageWriter] = PAGE_WRITERS,
    post_writers: Sequence[PostWriter] = POST_WRITERS,
) -> tuple[Truth, Web]:
    """Everything written about a told story. Draws names, so call it once; the chain must be living."""
    truth = Truth(scene, book, metrics, code, draw_cast(scene, book.coins))
    return truth, write_web(truth, page_writers, post_writers, front_page.front_pages)


def check_variety(web: Web, truth: Truth) -> WebReport:
    """What the web consists of. Raises ``CheckFailed`` when too many pages are like another one."""
    told = report(web, truth)
    if told.alike > MOST_ALIKE:
        raise CheckFailed(f"{float(told.alike):.1%} of the pages have a near-duplicate, {float(MOST_ALIKE):.0%} may")
    return told


def web_services(truth: Truth, web: Web) -> tuple[Service, ...]:
    """The search API, the page reader and the social network over a web."""
    pages, posts = [made.page for made in web.pages], [made.post for made in web.posts]
    outlets = {one.site: one.name for one in truth.cast.outlets()}
    return Serper(pages, outlets), Jina(pages), XApi(users(truth), posts)


def sweeps(truth: Truth, web: Web) -> Iterator[tuple[str, int, list[HttpRequest]]]:
    """Each sweep's name, its moment, and the pages that are read in it for the first time.

    The first one also reads what people guess of every site that is ever heard of: that nothing stands there is an
    answer, too.
    """
    left = sorted(web.pages, key=lambda made: (made.page.known_since or 0, made.page.url))
    last = truth.book.prices.end - 1
    moments = [truth.midnight(day) for day in range(_SWEEP_DAYS, truth.days, _SWEEP_DAYS)] + [last]
    for moment in moments:
        out = [made for made in left if (made.page.known_since or 0) <= moment]
        left = left[len(out) :]
        asked = {made.page.url for made in out} | (_guessed(web) if moment == moments[0] else set())
        requests = [page_request(url) for url in sorted(asked)]
        yield f"pages-{number.iso_day(moment)}", moment, requests


def _guessed(web: Web) -> set[str]:
    """Addresses that people try, at which no page ever stands."""
    known = {made.page.url for made in web.pages}
    hosts = {urlsplit(url).netloc for url in known}
    return {f"https://{host}/{path}" for host in hosts for path in _GUESSES} - known


def check_recorded(frozen: FrozenWorld, web: Web) -> None:
    """Raises ``CheckFailed`` unless the world has every page and every post that was written, and no other."""
    pages = {(made.page.url, made.page.title, made.page.text.strip(), made.page.published) for made in web.pages}
    posts = {(made.post.id, made.post.author, made.post.text, made.post.created) for made in web.posts}
    read = {(page.url, page.title, page.text.strip(), page.published) for page in frozen.corpus}
    told = {(post.id, post.author, post.text, post.created) for post in frozen.posts}
    for what, written, recorded in (("page", pages, read), ("post", posts, told)):
        odd = sorted(written ^ recorded, key=repr)
        if odd:
            raise CheckFailed(
                f"of {len(written)} {what}s {len(written & recorded)} were recorded as written; the first that differs "
                f"is {odd[0][0]}"
            )


def timeline_questions(truth: Truth) -> list[HttpRequest]:
    """All that everybody ever posted."""
    return [_get(f"{X}/users/{number}/tweets") for number in sorted((user.id for user in users(truth)), key=int)]


def account_questions(truth: Truth) -> list[HttpRequest]:
    """Who everybody is, asked at the story's end: what is told of an earlier moment is who was there, no count."""
    handles = sorted(user.handle for user in users(truth))
    return [
        _get(f"{X}/users/by", usernames=",".join(handles[at : at + _NAMES_AT_ONCE]))
        for at in range(0, len(handles), _NAMES_AT_ONCE)
    ]


def _get(url: str, **parameters: object) -> HttpRequest:
    return HttpRequest("GET", f"{url}?{urlencode(parameters)}" if parameters else url, headers=_KEY)
