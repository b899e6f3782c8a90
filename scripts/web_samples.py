"""docs/web-samples.md from the web of seed 1: ``python scripts/web_samples.py`` writes it, ``--check`` compares.

Three pages and three posts of every kind, drawn by lot and cut where they are long; kinds that differ only in what
occasioned them ("forum/vote", "forum/burn") are one here. The story is told at
the small size, which takes some seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from caia_replay.world.clock import utc_text
from caia_worldgen.calendar import SCALES
from caia_worldgen.economy import economy, tell
from caia_worldgen.economy_web import PAGE_WRITERS, POST_WRITERS
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.repository import Repositories
from caia_worldgen.web.cast import draw_cast
from caia_worldgen.web.page import Claim, WebPage, WebPost
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import Web, report, write_web

PATH: Final = Path(__file__).parent.parent / "docs" / "web-samples.md"
SEED: Final = 1
EACH: Final = 3
_LONGEST: Final = 900
_HEAD: Final = """# Samples of the synthetic web

Written by `scripts/web_samples.py` from the web of seed {seed} at the size `small`: {pages} pages and {posts} posts. Of
the pages {copies} are meant as near copies of others; of the rest {alike:.2%} have a near-duplicate. Everything here is
synthetic, as [web.md](web.md) says. Below each text stands what it claims and how that is marked; no agent sees that.
"""


def samples(truth: Truth, web: Web) -> str:
    """The whole document."""
    told = report(web, truth)
    head = _HEAD.format(seed=SEED, pages=told.pages, posts=told.posts, copies=told.copies, alike=float(told.alike))
    parts = [head, "\n## Pages\n", *_pages(truth, web), "\n## Posts\n", *_posts(truth, web)]
    return "\n".join(parts).rstrip() + "\n"


def _pages(truth: Truth, web: Web) -> Iterator[str]:
    for kind in sorted({_plain(made.kind) for made in web.pages}):
        of_kind = [made for made in web.pages if _plain(made.kind) == kind]
        yield f"\n### {kind} ({len(of_kind)})\n"
        for made in truth.rng(f"samples/{kind}").some(of_kind, min(EACH, len(of_kind))):
            yield _page(made)


def _plain(kind: str) -> str:
    return kind.replace("/", " ").partition(" ")[0]


def _page(made: WebPage) -> str:
    page = made.page
    when = f"first seen {utc_text(page.first_seen or 0)}" if page.published is None else utc_text(page.published)
    by = f", {page.author}" if page.author else ""
    text = page.text if len(page.text) <= _LONGEST else page.text[:_LONGEST].rstrip() + " …"
    return f"**{page.title}**  \n<{page.url}>, {when}{by}\n\n````text\n{text.strip()}\n````\n\n{_claims(made.claims)}\n"


def _posts(truth: Truth, web: Web) -> Iterator[str]:
    for kind in sorted({_plain(made.kind) for made in web.posts}):
        of_kind = [made for made in web.posts if _plain(made.kind) == kind]
        yield f"\n### {kind} ({len(of_kind)})\n"
        for made in truth.rng(f"samples/post/{kind}").some(of_kind, min(EACH, len(of_kind))):
            yield _post(made)


def _post(made: WebPost) -> str:
    post = made.post
    answers = f", in answer to {post.reply_to}" if post.reply_to else ""
    return (
        f"@{post.author}, {utc_text(post.created)}{answers}\n\n````text\n{post.text}\n````\n\n{_claims(made.claims)}\n"
    )


def _claims(claims: tuple[Claim, ...]) -> str:
    told = [f"{one.kind} `{one.words}` ({one.status})" for one in dict.fromkeys(claims)]
    return f"Claims: {', '.join(told)}." if told else "Claims nothing that could be looked up."


def main() -> None:
    """Write the document, or compare."""
    with economy(SEED, SCALES["small"]) as scene:
        tell(scene)
        book = MarketBook(scene)
        cast = draw_cast(scene, book.coins)
        truth = Truth(scene, book, Metrics(scene, book), Repositories(scene, book), cast)
        web = write_web(truth, PAGE_WRITERS, POST_WRITERS)
        text = samples(truth, web)
    if sys.argv[1:] == ["--check"]:
        if PATH.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{PATH.name} is not what the web says; next: python scripts/web_samples.py")
        return
    PATH.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
