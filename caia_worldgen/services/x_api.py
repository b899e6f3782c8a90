"""X API v2 over the posts and accounts of a told story: search, timelines, mentions, posts, users, counts; GET only.

    https://api.x.com/2/...        (https://api.twitter.com is the same)

Everybody needs a bearer token: any is good but ``BAD_TOKEN``, and ``SPENT_TOKEN`` has used up its calls. What is not
there stands in ``errors`` of a reply with status 200, a fault in what is asked is a 400. Nothing is told before it
was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from caia_replay.core.world import Post
from caia_replay.providers.x.word import USER_EXPANSIONS, USER_FIELDS, listed, words_of
from caia_worldgen.services.service import Answer, Asked
from caia_worldgen.services.x_api_body import PROBLEMS, Network, Shape, User, not_found
from caia_worldgen.services.x_api_query import FIRST_DAY_S, Fault, counted, page_of, query_test, size_of, window_of

__all__ = ["BAD_TOKEN", "SPENT_TOKEN", "User", "XApi"]

BAD_TOKEN: Final = "SCRUBBED-BAD"
SPENT_TOKEN: Final = "SCRUBBED-SPENT"
ORIGINS: Final = ("https://api.x.com", "https://api.twitter.com")
RECENT_S: Final = 7 * 86_400
_QUARTER_S: Final = 900
_LIMIT: Final = 450
_MOST_NAMED: Final = 100
_LEFT_OPEN: Final = frozenset({"media.fields", "poll.fields", "place.fields"})
"""Fields of what nobody has here."""
_WINDOW: Final = frozenset({"start_time", "end_time", "since_id", "until_id"})
_SEARCH: Final = _WINDOW | {"query", "max_results", "next_token", "pagination_token", "sort_order"}
_ID: Final = re.compile(r"[0-9]{1,19}")
_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,15}")


class Refused(Exception):
    """A refusal that is nobody's parameter's fault: its status, title and words."""

    def __init__(self, status: int, title: str, why: str, **more: Any) -> None:
        super().__init__(why)
        self.status = status
        self.body = {"title": title, "detail": why, "type": "about:blank", "status": status, **more}


class XApi:
    """The service. Pure: ``answer`` depends on the request and ``now`` alone.

    ``full_archive`` is whether the callers' access reaches ``/2/tweets/search/all``.
    """

    origins = ORIGINS

    def __init__(self, users: Iterable[User], posts: Iterable[Post], full_archive: bool = True) -> None:
        self._network = Network(users, posts)
        self._full_archive = full_archive

    def answer(self, asked: Asked, now: int) -> Answer:
        """See ``Service.answer``."""
        limits = _limits(_LIMIT - 1) | {"x-rate-limit-reset": str(now - now % _QUARTER_S + _QUARTER_S)}
        try:
            token = asked.headers.get("authorization", "").rpartition(" ")[2]
            if not token or token == BAD_TOKEN:
                raise Refused(401, "Unauthorized", "Unauthorized")
            if token == SPENT_TOKEN:
                limits |= _limits(0)
                raise Refused(429, "Too Many Requests", "Too Many Requests")
            return Answer(200, self._found(asked, now), limits)
        except Fault as fault:
            said = f"The `{fault.parameter}` query parameter value [{fault.value}] {fault.why}"
            return Answer(
                400,
                {
                    "title": "Invalid Request",
                    "detail": "One or more parameters to your request was invalid.",
                    "type": f"{PROBLEMS}/invalid-request",
                    "errors": [{"parameters": {fault.parameter: [fault.value]}, "message": said}],
                    **_described(400, said),
                },
                limits,
            )
        except Refused as refused:
            return Answer(refused.status, refused.body | _described(refused.status, str(refused)), limits)

    def busy(self, asked: Asked) -> Answer:
        """See ``Service.busy``. No moment is known here, so the pause is told and not its end."""
        body = {"title": "Too Many Requests", "detail": "Too Many Requests", "type": "about:blank", "status": 429}
        return Answer(429, body | _described(429, "Too Many Requests"), _limits(0) | {"retry-after": "1"})

    def _found(self, asked: Asked, now: int) -> Any:
        """A reply's content. Raises ``Fault`` and ``Refused``."""
        given = asked.parameters
        match asked.segments() if asked.method == "GET" else []:
            case ["2", "tweets", "search", ("recent" | "all") as kind]:
                return self._search(kind == "recent", given, now)
            case ["2", "tweets", "counts", "recent"]:
                return self._counts(given, now)
            case ["2", "tweets"]:
                return self._posts(_named(given, "ids", _ID), "ids", given, now)
            case ["2", "tweets", number]:
                return self._posts(_named({"id": number}, "id", _ID), "id", given, now)
            case ["2", "users", "by", "username", name]:
                return self._users(_named({"username": name}, "username", _NAME), "username", given, now)
            case ["2", "users", "by"]:
                return self._users(_named(given, "usernames", _NAME), "usernames", given, now)
            case ["2", "users"]:
                return self._users(_named(given, "ids", _ID), "ids", given, now)
            case ["2", "users", number]:
                return self._users(_named({"id": number}, "id", _ID), "id", given, now)
            case ["2", "users", number, ("tweets" | "mentions") as kind]:
                return self._timeline(_named({"id": number}, "id", _ID)[0], kind == "tweets", given, now)
        raise Refused(404, "Not Found", f"No endpoint answers {asked.method} {asked.path}")

    def _shape(self, given: Mapping[str, str], now: int, own: Iterable[str], of_users: bool = False) -> Shape:
        """How things are to be told. Raises ``Fault`` for parameters and fields that are not known."""
        words = words_of(given)
        shaped = {words.fields_parameter, "user.fields", "expansions", *(() if of_users else _LEFT_OPEN)}
        for name in sorted(given):
            if name not in shaped and name not in own:
                raise Fault(name, given[name], f"is not one of [{', '.join(sorted(shaped | set(own)))}]")
        may_expand = USER_EXPANSIONS if of_users else words.expansions
        fields = _chosen(given, words.fields_parameter, words.fields)
        users = _chosen(given, "user.fields", USER_FIELDS)
        expansions = _chosen(given, "expansions", may_expand)
        return Shape(self._network, words, frozenset(fields), frozenset(users), expansions, now)

    def _listed(self, shape: Shape, posts: Sequence[Post], size: int, token: str | None) -> dict[str, Any]:
        page, meta = page_of(posts, size, token)
        told = {"data": [shape.post(post) for post in page]} if page else {}
        return {**told, **shape.around(page), "meta": meta}

    def _search(self, is_recent: bool, given: Mapping[str, str], now: int) -> Any:
        if not is_recent and not self._full_archive:
            raise Refused(
                403,
                "Client Forbidden",
                "The access level of this client does not reach the full archive.",
                reason="client-not-enrolled",
                required_enrollment="Appropriate Level of API Access",
            )
        shape, size = self._shape(given, now, _SEARCH), size_of(given, 10, 100 if is_recent else 500)
        if given.get("sort_order", "recency") not in ("recency", "relevancy"):
            raise Fault("sort_order", given["sort_order"], "is not one of [recency, relevancy]")
        found, _, _ = self._matching(given, now, is_recent)
        return self._listed(shape, found, size, given.get("next_token", given.get("pagination_token")))

    def _counts(self, given: Mapping[str, str], now: int) -> Any:
        own = _WINDOW | {"query", "granularity", "next_token", "pagination_token", "search_count.fields"}
        for name in sorted(set(given) - own):
            raise Fault(name, given[name], f"is not one of [{', '.join(sorted(own))}]")
        for name in ("next_token", "pagination_token"):
            if name in given:
                raise Fault(name, given[name], "is not a token that was handed out")
        found, start, end = self._matching(given, now, True)
        return {"data": counted(found, start, end, given.get("granularity", "hour")),
                "meta": {"total_post_count": len(found)}}  # fmt: skip

    def _matching(self, given: Mapping[str, str], now: int, is_recent: bool) -> tuple[list[Post], int, int]:
        """The posts of a query, newest first, and the moments from and before which they are."""
        if "query" not in given:
            raise Fault("query", "", "must be given")
        window, oldest = window_of(given), now - RECENT_S if is_recent else FIRST_DAY_S
        if window.start is not None and window.start < oldest:
            raise Fault("start_time", given["start_time"], "must be within the last 7 days")
        if window.end is not None and not oldest < window.end <= now:
            raise Fault("end_time", given["end_time"], "must be within the time that can be searched")
        test = query_test(given["query"], self._network, now)
        start, end = window.start or oldest, window.end or now + 1
        posts = self._network.posts(start, now)
        return [post for post in posts if window.holds(post) and test(post)], start, end

    def _timeline(self, number: str, is_own: bool, given: Mapping[str, str], now: int) -> Any:
        own = _WINDOW | {"max_results", "pagination_token"} | ({"exclude"} if is_own else set())
        shape, size, window = self._shape(given, now, own), size_of(given, 5, 100), window_of(given)
        excluded = _chosen(given, "exclude", frozenset({"replies", "retweets"}))
        user = self._network.user_by_id(number, now)
        if user is None:
            return {"errors": [not_found("user", "id", number)]}
        posts = self._network.written_by(user, now) if is_own else self._network.mentioning(user, now)
        kept = [post for post in posts if window.holds(post) and not ("replies" in excluded and post.reply_to)]
        return self._listed(shape, kept, size, given.get("pagination_token"))

    def _posts(self, numbers: Sequence[str], parameter: str, given: Mapping[str, str], now: int) -> Any:
        shape = self._shape(given, now, {"ids"} if parameter == "ids" else ())
        found = {number: self._network.post(number, now) for number in numbers}
        there = [post for post in found.values() if post is not None]
        missing = [not_found(shape.words.thing, parameter, number) for number, post in found.items() if post is None]
        around = shape.around(there)
        errors = [*missing, *around.pop("errors", ())]
        return _told([shape.post(post) for post in there], parameter == "id", errors) | around

    def _users(self, names: Sequence[str], parameter: str, given: Mapping[str, str], now: int) -> Any:
        shape = self._shape(given, now, {parameter} if parameter.endswith("s") else (), of_users=True)
        look = self._network.user if parameter.startswith("username") else self._network.user_by_id
        found = {name: look(name, now) for name in names}
        missing = [not_found("user", parameter, name) for name, user in found.items() if user is None]
        told = [shape.user(user) for user in found.values() if user is not None]
        return _told(told, parameter in ("id", "username"), missing)


def _told(data: list[Any], is_single: bool, errors: list[Any]) -> dict[str, Any]:
    """What is there, and what is not beside it; neither key where it would be empty."""
    told = {"data": data[0] if is_single else data} if data else {}
    return told | ({"errors": errors} if errors else {})


def _named(given: Mapping[str, str], parameter: str, pattern: re.Pattern[str]) -> Sequence[str]:
    """The numbers or handles that are asked for, each once."""
    text = given.get(parameter, "")
    names = tuple(dict.fromkeys(listed(text))) if parameter.endswith("s") else (text,)
    if not 1 <= len(names) <= _MOST_NAMED:
        raise Fault(parameter, text[:100], f"must name from 1 to {_MOST_NAMED}")
    for name in names:
        if not pattern.fullmatch(name):
            raise Fault(parameter, name, f"does not match {pattern.pattern}")
    return names


def _chosen(given: Mapping[str, str], parameter: str, known: frozenset[str]) -> tuple[str, ...]:
    """The names in a list parameter. Raises ``Fault`` for one that is not known."""
    names = listed(given.get(parameter, ""))
    for name in names:
        if name not in known:
            raise Fault(parameter, name, f"is not one of [{','.join(sorted(known))}]")
    if parameter in given and not names:
        raise Fault(parameter, "", "must name at least one")
    return names


def _limits(left: int) -> dict[str, str]:
    return {"x-rate-limit-limit": str(_LIMIT), "x-rate-limit-remaining": str(left)}


def _described(status: int, message: str) -> dict[str, Any]:
    """What the vendor's description says every failed request has."""
    return {"code": status, "message": message}
