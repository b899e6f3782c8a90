"""Which parameters are credentials, and the fixed words that stand in their place.

One rule for both sides: the recorder writes ``SCRUBBED`` over these values, and the identity of a request reads
them as ``SCRUBBED``, so a request with any key finds what was recorded with another. A blank or missing credential
stays blank or missing: an anonymous request is another question than one with a key. So is one with a key that was
known to be bad when it was recorded: its word is ``SCRUBBED_BAD``, and only a request with that very word asks it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

SCRUBBED = "SCRUBBED"
SCRUBBED_BAD = "SCRUBBED-BAD"

KeyClass = Literal["absent", "good", "bad"]
"""What is kept of the credentials in a request's headers. ``good`` is every key that nobody declared bad."""

# Compared without case, dashes and underscores. "key" and "token" alone are left out on purpose: in this field they
# name storage keys and token contracts far more often than credentials.
_WHOLE = frozenset({"authorization", "proxyauthorization", "secret", "password", "passwd", "bearer", "cookie"})
_ENDS = ("apikey", "accesstoken", "authtoken", "apitoken", "bearertoken", "refreshtoken", "apisecret", "clientsecret",
         "secretkey", "privatekey", "accesskey", "passphrase", "authkey", "subscriptionkey")  # fmt: skip


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether a header, query, form or JSON field of this name holds a credential (``x-api-key``, ``apiKey``...)."""
    flat = name.lower().replace("-", "").replace("_", "")
    return flat in _WHOLE or flat.endswith(_ENDS)


def word_of(value: str) -> str:
    """The word that stands for a credential's value: blank stays blank, the word of a bad key stays, the rest is good.

    A header's value may have a scheme before the key (``Bearer SCRUBBED-BAD``).
    """
    if not value:
        return value
    return SCRUBBED_BAD if value.rpartition(" ")[2] == SCRUBBED_BAD else SCRUBBED


def key_class(headers: Iterable[tuple[str, str]]) -> KeyClass:
    """The class of the credentials that a request's headers carry; one bad key among them makes it bad."""
    words = {word_of(value) for name, value in headers if is_secret(name)}
    return "bad" if SCRUBBED_BAD in words else "good" if SCRUBBED in words else "absent"
