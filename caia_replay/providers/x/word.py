"""The words of X API v2, of which there are two sets: today's (``post``) and the older ones (``tweet``).

The vendor's description of today names ``post.fields``, ``includes.posts`` and ``repost_count`` what most clients call
``tweet.fields``, ``includes.tweets`` and ``retweet_count``. A request shows which set it speaks, and is answered in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_USER_FIELDS: Final = (
    "confirmed_email connection_status created_at description entities id is_identity_verified location name parody "
    "profile_banner_url profile_image_url protected public_metrics receives_your_dm subscribes_to_you subscription "
    "subscription_type url username verified verified_followers_count verified_type withheld"
)
USER_FIELDS: Final = frozenset(_USER_FIELDS.split())
USER_EXPANSIONS: Final = frozenset({"affiliation", "most_recent_post_id", "most_recent_tweet_id", "pinned_post_id",
                                    "pinned_tweet_id"})  # fmt: skip
ALWAYS_OF_USER: Final = frozenset({"id", "name", "username"})
_SHARED: Final = (
    "article attachments card_uri community_id context_annotations conversation_id created_at display_text_range "
    "edit_controls entities geo id lang media_metadata non_public_metrics organic_metrics possibly_sensitive "
    "promoted_metrics public_metrics reply_settings scopes source text withheld"
)
_SHARED_EXPANSIONS: Final = (
    "article.cover_media article.media_entities attachments.media_keys attachments.media_source_tweet "
    "attachments.poll_ids author_id entities.mentions.username geo.place_id in_reply_to_user_id"
)


@dataclass(frozen=True, slots=True)
class Words:
    """One set. ``fields`` and ``expansions`` are what a request may ask for; ``shows`` which keys an expansion brings
    along; expansions without an entry there lead to media, places and polls, or are the other set's."""

    thing: str
    fields_parameter: str
    fields: frozenset[str]
    expansions: frozenset[str]
    shows: Mapping[str, frozenset[str]]
    always: frozenset[str]
    history: str
    referenced: str
    to_referenced: str
    included: str
    reposts: str
    written: str


POST: Final = Words(
    thing="post",
    fields_parameter="post.fields",
    fields=frozenset(
        f"{_SHARED} article_title matched_media_notes note_post note_request_suggestions paid_partnership "
        "suggested_source_links suggested_source_links_with_counts".split()
    ),
    expansions=frozenset(f"{_SHARED_EXPANSIONS} edit_history_post_ids referenced_posts username".split()),
    shows={
        "author_id": frozenset({"author_id"}),
        "in_reply_to_user_id": frozenset({"in_reply_to_user_id"}),
        "referenced_posts": frozenset({"referenced_posts"}),
    },
    always=frozenset({"id", "text", "edit_history_post_ids"}),
    history="edit_history_post_ids",
    referenced="referenced_posts",
    to_referenced="referenced_posts",
    included="posts",
    reposts="repost_count",
    written="post_count",
)

THROUGH: Final = "referenced_tweets.id.author_id"
"""The one expansion of an expanded thing that is known here."""

TWEET: Final = Words(
    thing="tweet",
    fields_parameter="tweet.fields",
    fields=frozenset(
        f"{_SHARED} author_id edit_history_tweet_ids in_reply_to_user_id note_tweet referenced_tweets".split()
    ),
    expansions=frozenset(
        f"{_SHARED_EXPANSIONS} edit_history_tweet_ids referenced_tweets.id referenced_tweets.id.attachments.media_keys "
        f"{THROUGH}".split()
    ),
    shows={
        "author_id": frozenset({"author_id"}),
        "in_reply_to_user_id": frozenset({"in_reply_to_user_id"}),
        "referenced_tweets.id": frozenset({"referenced_tweets"}),
        THROUGH: frozenset({"referenced_tweets", "author_id"}),
    },
    always=frozenset({"id", "text", "edit_history_tweet_ids"}),
    history="edit_history_tweet_ids",
    referenced="referenced_tweets",
    to_referenced="referenced_tweets.id",
    included="tweets",
    reposts="retweet_count",
    written="tweet_count",
)

_OLD: Final = frozenset({"pinned_tweet_id", "most_recent_tweet_id"}) | (TWEET.expansions - POST.expansions)


def words_of(parameters: Mapping[str, str]) -> Words:
    """The set a request speaks; today's where it shows none. Whether it mixes both is seen by what is unknown then."""
    old = TWEET.fields_parameter in parameters or not _OLD.isdisjoint(listed(parameters.get("expansions", "")))
    return TWEET if old else POST


def listed(text: str) -> tuple[str, ...]:
    """A list as parameters have it: names with commas between; nothing for no text."""
    return tuple(text.split(",")) if text else ()
