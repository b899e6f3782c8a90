"""What holds of everything that any writer of the web makes, whatever the seed, and of the traps that some lay."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from caia_worldgen.services.x_api_body import Network
from caia_worldgen.web.page import Claim, WebPage, WebPost, written_at
from caia_worldgen.web.profile import users
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import Web

pytestmark = pytest.mark.check
DOUBTS = re.compile(
    "rumour|unconfirmed|denie|not to be named|verify|stand up|hearsay|"
    "传言|未经证实|传闻|爆料|流传|未获证实|真假难辨|无法独立核实"
)
MEASURED = ("price", "cap", "supply", "tvl", "volume", "fees", "staked", "unlocked")


def measured(truth: Truth, claim: Claim) -> Claim | None:
    """The claim as the truth has it at the claim's own moment."""
    if claim.subject.startswith("chain:"):
        chain = "main" if claim.subject.endswith(truth.scene.networks["main"].name) else "rollup"
        return truth.chain_tvl(chain, claim.moment).claim
    subject = truth.subjects[claim.subject].role if claim.kind == "unlocked" else claim.subject
    return getattr(truth, claim.kind)(subject, claim.moment).claim  # type: ignore[no-any-return]


def all_claims(web: Web) -> list[tuple[WebPage | WebPost, Claim]]:
    """Every claim, beside what makes it."""
    return [(made, claim) for made in (*web.pages, *web.posts) for claim in made.claims]


def test_figures_are_the_truths_unless_they_are_marked_as_mistakes(truth: Truth, web: Web) -> None:
    """Each measured figure is right to within what its last digit can say, exactly when it is not a mistake."""
    seen = set()
    for made, claim in all_claims(web):
        if claim.kind in MEASURED:
            again = measured(truth, claim)
            assert again is not None and not isinstance(claim.value, str) and not isinstance(again.value, str)
            right = abs(claim.value - again.value) <= (claim.step + again.step) / 2
            assert right == (claim.status != "mistaken"), (made.kind, claim)
            seen.add((claim.kind, claim.status))
    assert {kind for kind, _ in seen} == set(MEASURED)
    assert {status for _, status in seen} == {"true", "stale", "mistaken"}


def test_addresses_and_releases_are_the_storys(truth: Truth, web: Web) -> None:
    """A token's address is the genuine one, a release the latest of its moment; the explorer is never wrong."""
    for made, claim in all_claims(web):
        role = truth.subjects[claim.subject].role if claim.subject in truth.subjects else ""
        if claim.kind == "address" and role in truth.scene.assets:
            assert claim.value == truth.address(role).words, made
        if claim.kind == "release" and claim.status == "true":
            assert truth.release(claim.subject, claim.moment).words == claim.words, made
        assert claim.status == "true" or not made.kind.startswith("explorer")


def test_rumours_are_called_so(web: Web) -> None:
    """A page with a rumour says in plain words that nobody confirmed it; a post is of that kind or says so."""
    told = [made for made in web.pages if made.kind[:5] != "forum" and "rumour" in {one.status for one in made.claims}]
    assert (
        told and [made.page.url for made in told if not DOUBTS.search(made.page.text.lower() + made.page.title)] == []
    )


def test_corrections_follow_what_they_correct(web: Web) -> None:
    """A correction names an earlier page with a mistake; it makes no mistake of its own, and quotes what was wrong."""
    erring = {made.page.url: made for made in web.pages if any(claim.status == "mistaken" for claim in made.claims)}
    fixed = [made for made in web.pages if "correction" in made.kind]
    assert len(fixed) > 20
    for made in fixed:
        first = next(one for url, one in erring.items() if f"({url})" in made.page.text or url in made.page.text)
        assert (first.page.published or 0) < (made.page.published or 0)
        assert {claim.status for claim in made.claims} <= {"true", "stale"}, made.page.url


def test_posts_are_one_network(truth: Truth, web: Web) -> None:
    """Ids tell the second, answers are later, counted, by somebody else and name whom they answer; profiles fit."""
    posts = {made.post.id: made.post for made in web.posts}
    answers, said = Counter(post.reply_to for post in posts.values() if post.reply_to), users(truth)
    Network(said, list(posts.values()))
    assert [one.handle for one in said] == sorted(one.handle for one in truth.cast.accounts)
    for made in web.posts:
        post = made.post
        assert written_at(post.id) == post.created and (post.replies or 0) == answers[post.id]
        assert (post.thread == post.id) == (not post.reply_to)
        if post.reply_to:
            first = posts[post.reply_to]
            assert first.created < post.created and first.thread == post.thread
            assert first.author == post.author or f"@{first.author}" in post.text
