"""Keys: from the environment onto the wire, to the host that wants them, and onto nothing else."""

from __future__ import annotations

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.recording.api_key import HOSTS, KEYS, Keys

EVERY = {key.variable: f"Key-of-{key.variable.lower()}" for key in KEYS}


def sent(keys: Keys, url: str, **headers: str) -> tuple[httpx2.URL, httpx2.Headers]:
    return keys.dress(httpx2.URL(url), httpx2.Headers(headers))


def test_a_host_that_answers_nobody_names_its_variable() -> None:
    """Before anything is sent."""
    with pytest.raises(BadInput, match="set SERPER_API_KEY"):
        sent(Keys({}), "https://google.serper.dev/search")


def test_the_pro_host_is_asked_where_there_is_a_pro_key() -> None:
    """The demo key is left at home then; without either the public host is asked as it is."""
    url, headers = sent(Keys(EVERY), "https://api.coingecko.com/api/v3/ping")
    assert url.host == "pro-api.coingecko.com" and headers["x-cg-pro-api-key"] == EVERY["COINGECKO_PRO_API_KEY"]
    assert "x-cg-demo-api-key" not in headers
    url, headers = sent(Keys({"COINGECKO_DEMO_API_KEY": "d"}), "https://api.coingecko.com/api/v3/ping")
    assert url.host == "api.coingecko.com" and headers["x-cg-demo-api-key"] == "d"
    assert dict(sent(Keys({}), "https://api.coingecko.com/api/v3/ping")[1]) == {}


def test_a_key_goes_where_its_vendor_reads_it() -> None:
    """As a parameter, in the path, or as a bearer; a tool's placeholder is no key and is not sent."""
    keys = Keys(EVERY)
    assert sent(keys, "https://api.etherscan.io/v2/api?chainid=1")[0].params["apikey"] == EVERY["ETHERSCAN_API_KEY"]
    url, _ = sent(keys, "https://pro-api.llama.fi/SCRUBBED/api/emissions")
    assert url.path == f"/{EVERY['DEFILLAMA_API_KEY']}/api/emissions"
    _, headers = sent(keys, "https://api.x.com/2/tweets", authorization="Bearer SCRUBBED")
    assert headers["authorization"] == f"Bearer {EVERY['X_BEARER_TOKEN']}"
    assert (
        "authorization" not in sent(Keys({}), "https://r.jina.ai/https://a.example", authorization="Bearer SCRUBBED")[1]
    )


@given(
    st.sampled_from(sorted(HOSTS | {"evil.example", "api.x.com.evil.example"})), st.sampled_from(["/", "/a/SCRUBBED/b"])
)
def test_no_key_reaches_a_host_that_it_is_not_of(host: str, path: str) -> None:
    """Law: whatever is asked, only the keys of that host's own rows are on the request."""
    url, headers = sent(Keys(EVERY), f"https://{host}{path}")
    own = {EVERY[key.variable] for key in KEYS if host in (key.host, key.host_with_key)}
    told = f"{url} {dict(headers)}"
    assert not [value for value in EVERY.values() if value in told and value not in own]
    assert url.host in HOSTS or url.host == host


def test_keys_are_in_no_representation() -> None:
    """What a traceback or a log could show names variables alone."""
    assert not any(value in repr(Keys(EVERY)) for value in EVERY.values())
    assert Keys(EVERY).values == frozenset(EVERY.values())


def test_white_space_around_a_key_is_no_part_of_it() -> None:
    """A line's end in a file of keys; what no header can hold names the variable alone."""
    keys = Keys({"SERPER_API_KEY": "abc123\r\n"})
    assert sent(keys, "https://google.serper.dev/search")[1]["x-api-key"] == "abc123"
    with pytest.raises(BadInput, match="X_BEARER_TOKEN holds what is no key") as caught:
        Keys({"X_BEARER_TOKEN": "se\ncret"})
    assert "cret" not in str(caught.value)
