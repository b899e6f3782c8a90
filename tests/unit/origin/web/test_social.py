"""The social network as a whole."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from caia_replay.origin.services.x_api_network import Network
from caia_replay.origin.web.page import WebPost
from caia_replay.origin.web.profile import users
from caia_replay.origin.web.shingle import alike, shingles
from caia_replay.origin.web.social import posts
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import masked_names


@pytest.fixture(scope="module")
def network(truth: Truth) -> tuple[WebPost, ...]:
    """All posts."""
    return posts(truth)


def test_there_are_many_posts_in_order(network: tuple[WebPost, ...]) -> None:
    """More than 5,200 of them, sorted by moment and id, no id twice, 4 to 45 words and a sign each."""
    assert len(network) >= 5_200
    keys = [(one.post.created, one.post.id) for one in network]
    assert keys == sorted(keys) and len({one.post.id for one in network}) == len(network)
    assert all(4 <= len(one.post.text.split()) <= 46 and one.post.language == "en" for one in network)


def test_writing_again_writes_the_same(truth: Truth, network: tuple[WebPost, ...]) -> None:
    """Two calls give equal posts in equal order."""
    assert posts(truth) == network


def test_answers_are_counted(network: tuple[WebPost, ...]) -> None:
    """A post has as many replies as posts answer it, and every answered post is there."""
    answers = Counter(one.post.reply_to for one in network if one.post.reply_to)
    assert all(one.post.replies == answers[one.post.id] for one in network)
    assert set(answers) <= {one.post.id for one in network}
    assert all((one.post.thread == one.post.id) == (not one.post.reply_to) for one in network)


def test_hardly_any_post_is_like_another(truth: Truth, network: tuple[WebPost, ...]) -> None:
    """Bots apart, fewer than 3 % have a near-duplicate by masked shingles of three words."""
    names, said = masked_names(truth), [one.post.text for one in network if one.kind != "bot"]
    pairs = alike([shingles(text, names, 3) for text in said], Fraction(3, 5))
    assert len({place for pair in pairs for place in (pair.first, pair.second)}) * 100 < 3 * len(said)


def test_most_posts_are_true(network: tuple[WebPost, ...]) -> None:
    """Old figures, mistakes and rumours are a few per cent of the posts each."""
    for status in ("stale", "mistaken", "rumour"):
        share = Fraction(sum(any(claim.status == status for claim in one.claims) for one in network), len(network))
        assert Fraction(1, 100) < share < Fraction(6, 100)


def test_the_service_takes_it(truth: Truth, network: tuple[WebPost, ...]) -> None:
    """Profiles and posts are one network: every author is known and older than what it wrote."""
    Network(users(truth), [one.post for one in network])
