"""An economy of 48 days built whole, with a lighter web, and what only its makers know of that web."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from caia_worldgen.build import chain_names
from caia_worldgen.calendar import Scale
from caia_worldgen.cross_audit import places_of
from caia_worldgen.economy_record import market_services
from caia_worldgen.economy_web import web_services
from caia_worldgen.economy_world import EconomyReport, build_economy
from caia_worldgen.page_audit import Whereabouts
from caia_worldgen.services.service import Service
from caia_worldgen.web import (
    blog_post,
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
    project_site,
    repository_page,
    social,
)
from caia_worldgen.web.page import WebPage, WebPost
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import PageWriter, Web

SHORT = Scale("short", 48, 1, 1, 4, 30)
SEED = 9
PAGES: tuple[PageWriter, ...] = (
    docs_page.pages,
    forum_thread.pages,
    explorer_page.pages,
    dashboard_page.pages,
    chinese_page.pages,
    project_site.pages,
    news.pages,
    notice.pages,
    blog_post.pages,
    repository_page.pages,
    matter_page.pages,
    farm.pages,
)
"""The fewest writers that state a fact of every kind the audit looks up, and answer every question shape."""
POSTS = (chinese_post.posts, social.posts, matter_page.posts)


@dataclass(frozen=True)
class ShortEconomy:
    """The finished world, its pages with their claims, and where an audit looks things up."""

    report: EconomyReport
    truth: Truth
    web: Web
    where: Whereabouts
    origin: tuple[Service, ...]
    """Every API of the economy but its nodes', still living; pure functions of a request and a moment."""

    @property
    def pages(self) -> tuple[WebPage, ...]:
        """Every page, with its claims."""
        return self.web.pages


def build_short(out: Path) -> ShortEconomy:
    """Seed 9 for 48 days; what the writers wrote is kept on its way to the recorder."""
    pages: list[WebPage] = []
    where: list[Whereabouts] = []
    truths: list[Truth] = []

    def kept(write: PageWriter) -> PageWriter:
        def writer(truth: Truth) -> Iterator[WebPage]:
            for made in write(truth):
                pages.append(made)
                yield made

        return writer

    def looked(truth: Truth) -> Iterator[WebPage]:
        names = chain_names(truth.scene)
        places = places_of(truth.scene, dict(zip(("main", "rollup"), names, strict=True)), truth.book.coins)
        contracts = {role: made.address for role, made in truth.scene.main.contracts.items()}
        where.append(Whereabouts(places, contracts, names[0]))
        truths.append(truth)
        return iter(())

    report = build_economy(out, SEED, SHORT, page_writers=[*map(kept, PAGES), looked], post_writers=POSTS)
    by_url = tuple(sorted([*pages, *front_page.front_pages(truths[0], pages)], key=lambda made: made.page.url))
    posts = sorted(posts_of(truths[0]), key=lambda made: (made.post.created, made.post.id))
    web = Web(by_url, tuple(posts))
    origin = (*market_services(truths[0]), *web_services(truths[0], web))
    return ShortEconomy(report, truths[0], web, where[0], origin)


@pytest.fixture(scope="session")
def short_economy(tmp_path_factory: pytest.TempPathFactory) -> ShortEconomy:
    """Forty-eight days of seed 9, built into a folder of its own."""
    return build_short(tmp_path_factory.mktemp("economy"))


def posts_of(truth: Truth) -> list[WebPost]:
    """What the writers of posts write, once more."""
    return [made for write in POSTS for made in write(truth)]
