"""The social network of a told story: what everybody who writes English posted, in the order it was posted."""

from __future__ import annotations

from caia_worldgen.web import social_answer, social_market, social_project, social_talk, social_thread
from caia_worldgen.web.page import WebPost
from caia_worldgen.web.social_pen import counted
from caia_worldgen.web.truth import Truth


def posts(truth: Truth) -> tuple[WebPost, ...]:
    """All posts, sorted by moment and id; each knows how many answered it."""
    first = [*social_market.posts(truth), *social_project.posts(truth), *social_talk.posts(truth),
             *social_thread.posts(truth)]  # fmt: skip
    made = [*first, *social_answer.posts(truth, first)]
    return counted(sorted(made, key=lambda one: (one.post.created, one.post.id)))
