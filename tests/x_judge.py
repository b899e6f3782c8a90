"""The vendor's description as a judge of replies, in its own words and in the older ones spelled in its own."""

from __future__ import annotations

from typing import Any

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, HttpRequest
from tests.vendor_description import VendorDescription

_NEW = {"tweets": "posts", "edit_history_tweet_ids": "edit_history_post_ids", "referenced_tweets": "referenced_posts",
        "retweet_count": "repost_count", "tweet_count": "post_count"}  # fmt: skip


def faults(judge: VendorDescription, request: HttpRequest, reply: HttpReply) -> list[str]:
    """What the description has against a reply."""
    body = strict_json(reply.body)
    if "tweet" in request.url.partition("?")[2]:
        body = renamed(body)
    return judge.reply_faults("GET", request.url, reply.status, body)


def renamed(body: Any) -> Any:
    """The same with every key in the words of the description."""
    if isinstance(body, dict):
        return {_NEW.get(name, name): renamed(value) for name, value in body.items()}
    return [renamed(one) for one in body] if isinstance(body, list) else body
