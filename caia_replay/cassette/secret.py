"""Which parameters are credentials, and the fixed word that stands in their place.

One rule for both sides: the recorder writes ``SCRUBBED`` over these values, and the identity of a request reads
them as ``SCRUBBED``, so a request with any key finds what was recorded with another. A blank or missing credential
stays blank or missing: an anonymous request is another question than one with a key.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

SCRUBBED = "SCRUBBED"

# Compared without case, dashes and underscores. "key" and "token" alone are left out on purpose: in this field they
# name storage keys and token contracts far more often than credentials.
_WHOLE = frozenset({"authorization", "proxyauthorization", "secret", "password", "passwd", "bearer", "cookie"})
_ENDS = ("apikey", "accesstoken", "authtoken", "apitoken", "bearertoken", "refreshtoken", "apisecret", "clientsecret",
         "secretkey", "privatekey")  # fmt: skip


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether a header, query, form or JSON field of this name holds a credential (``x-api-key``, ``apiKey``...)."""
    flat = name.lower().replace("-", "").replace("_", "")
    return flat in _WHOLE or flat.endswith(_ENDS)


def masked(value: Any) -> Any:
    """``value`` (parsed JSON) with every non-empty string under a credential's name replaced by ``SCRUBBED``."""
    if isinstance(value, dict):
        return {
            name: SCRUBBED if is_secret(name) and isinstance(child, str) and child else masked(child)
            for name, child in value.items()
        }
    if isinstance(value, list):
        return [masked(child) for child in value]
    return value
