"""Which recordings could contain an answer: recorded questions by provider and family, found once for a whole world."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from caia_replay.cassette.identity import fields
from caia_replay.cassette.url import CanonicalUrl
from caia_replay.core.provider import HttpRequest, Provider
from caia_replay.errors import BadInput, Miss
from caia_replay.providers.endpoint import provider_of


class Families:
    """Recorded questions by who serves them. Immutable once made; costs one look at every question's identity."""

    def __init__(self, questions: Iterable[bytes], providers: Sequence[Provider]) -> None:
        self._members: dict[tuple[str, str], list[bytes]] = {}
        for key in questions:
            found = family_of(key, providers)
            if found is not None:
                self._members.setdefault(found, []).append(key)

    def of(self, key: bytes, providers: Sequence[Provider]) -> Sequence[bytes]:
        """The recorded questions of the same family as ``key``, sorted."""
        found = family_of(key, providers)
        return self._members.get(found, ()) if found else ()


def family_of(key: bytes, providers: Sequence[Provider]) -> tuple[str, str] | None:
    """A question's provider and family; None when nobody serves it."""
    part = fields(key)
    url = CanonicalUrl(part["scheme"], part["host"], part["port"], part["path"], part["query"]).text()
    request = HttpRequest(part["method"], url, part["body"].encode("utf-8", "surrogatepass"))
    try:
        provider = provider_of(providers, request)
        return provider.name, provider.family(request)
    except (BadInput, Miss):
        return None
