"""One dated post."""

from __future__ import annotations

from caia_replay.origin.web.blog_post import BOOKS
from caia_replay.origin.web.site_post import post
from caia_replay.origin.web.site_text import Voice
from caia_replay.origin.web.truth import Truth


def test_a_rumour_is_claimed_as_one(truth: Truth) -> None:
    """The part called rumour brings one claim of that status, whose word stands in the text."""
    subject, layout = truth.subject("index"), ("rc_open", "rumour", "rc_close")
    made = post(truth, Voice.of(*BOOKS), subject, "a-test", "rc_title", layout, truth.midnight(70), "recap")
    rumours = [claim for claim in made.page.claims if claim.status == "rumour"]
    assert len(rumours) == 1 and rumours[0].words in made.page.page.text


def test_a_plain_post_tells_no_figures(truth: Truth) -> None:
    """Without figures of its own a plain post claims nothing, and its address is the blog's."""
    subject, layout = truth.subject("index"), ("rc_open*3", "rc_market*3", "rc_look", "rc_close")
    made = post(
        truth, Voice.of(*BOOKS), subject, "Plain Words", "rc_title", layout, truth.midnight(70), "x", plain=True
    )
    assert made.page.claims == () and made.page.page.url == f"https://blog.{subject.site}/plain-words"
