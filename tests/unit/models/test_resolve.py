"""Names to models."""

from __future__ import annotations

import pytest

from caia_replay.core.gold import GoldChain
from caia_replay.core.message import Message
from caia_replay.core.model import Brief, RunKey
from caia_replay.errors import BadInput, MissingKey
from caia_replay.models.openai_compatible import OPENAI_BASE_URL, OpenAICompatibleModel
from caia_replay.models.resolve import endpoint_hosts, is_deterministic, policy_names, resolve_model


@pytest.mark.parametrize("name", policy_names())
def test_every_policy_resolves_without_a_key(name: str) -> None:
    """Policies need nothing from the environment and say what they are."""
    model = resolve_model(f"policy/{name}", {})
    needs_gold = name in {"oracle", "known-rate"}
    assert (model.name, model.is_policy, model.needs_gold) == (f"policy/{name}", True, needs_gold)
    model.close()


def test_policies_repeat_themselves_unless_they_are_drawn() -> None:
    """All but known-rate are deterministic; no live model is, and nothing that only looks like a policy."""
    assert [name for name in policy_names() if not is_deterministic(f"policy/{name}")] == ["known-rate"]
    assert not is_deterministic("gpt-5") and not is_deterministic("oracle")


def test_a_drawn_policy_is_drawn_from_the_seed() -> None:
    """Two seeds make some run of some task different; one seed makes all the same."""

    def said(seed: int) -> list[str]:
        model = resolve_model("policy/known-rate", {}, seed=seed)
        brief = Brief("q", gold=GoldChain((), "1 + 1"))
        keys = [RunKey("t", "clean", "tools", "react", attempt) for attempt in range(1, 9)]
        texts = [model.session(key, brief).complete([Message("user", "q")], []).message.content for key in keys]
        model.close()
        return texts

    assert said(1) == said(1) != said(2)


def test_a_missing_key_is_named_with_what_can_run_instead() -> None:
    """No key: the variable, and models that need none."""
    with pytest.raises(MissingKey, match=r"OPENAI_API_KEY.*policy/credulous.*policy/oracle"):
        resolve_model("gpt-5", {})
    with pytest.raises(MissingKey):
        resolve_model("gpt-5", {"OPENAI_API_KEY": "  "})


def test_a_live_name_takes_its_address_from_the_environment() -> None:
    """Any name goes to OPENAI_BASE_URL, or to the default."""
    model = resolve_model("meta/llama-4", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})
    assert isinstance(model, OpenAICompatibleModel) and not model.is_policy and not model.needs_gold
    assert str(model.client().base_url) == "http://127.0.0.1:1/v1/"
    model.close()
    default = resolve_model("gpt-5", {"OPENAI_API_KEY": "k"})
    assert isinstance(default, OpenAICompatibleModel) and str(default.client().base_url).rstrip("/") == OPENAI_BASE_URL
    default.close()


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("policy/orcale", "policy/oracle"), ("oracle", "policy/oracle"), ("policy/chain", "policy/chain-only")],
)
def test_a_misspelt_policy_names_the_nearest(name: str, nearest: str) -> None:
    """An unknown policy never becomes a live model."""
    with pytest.raises(BadInput, match=f"nearest: {nearest}"):
        resolve_model(name, {"OPENAI_API_KEY": "k"})


@pytest.mark.parametrize("name", ["", "  ", "a\nb"])
def test_a_name_that_is_none_is_bad_input(name: str) -> None:
    """Empty and unprintable names are refused."""
    with pytest.raises(BadInput, match="needs a name"):
        resolve_model(name, {"OPENAI_API_KEY": "k"})


@pytest.mark.parametrize(
    "url", ["localhost:1", "ftp://a.example", "http://", "http://a b", "http://[::1", "http://a:99999999"]
)
def test_an_address_that_is_none_is_bad_input(url: str) -> None:
    """Settings no request can be made with are told before any run."""
    with pytest.raises(BadInput, match="OPENAI_BASE_URL"):
        resolve_model("m", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": url})


def test_an_unusable_key_is_told_without_being_shown() -> None:
    """A key no header can carry is named by its variable, never printed."""
    with pytest.raises(BadInput) as caught:
        resolve_model("m", {"OPENAI_API_KEY": "sécret key"})
    assert "cret" not in str(caught.value) and "OPENAI_API_KEY" in str(caught.value)


def test_the_hosts_of_an_endpoint_are_its_own_and_its_proxy_s() -> None:
    """A policy needs none; a live model its base URL's host, and the proxy the environment names for that scheme."""
    proxied = {"OPENAI_BASE_URL": "http://llm.example:8080/v1", "http_proxy": "gate.example:3128", "HTTPS_PROXY": "x"}
    assert endpoint_hosts("policy/oracle", proxied) == frozenset()
    assert endpoint_hosts("gpt-5", {}) == {"api.openai.com"}
    assert endpoint_hosts("gpt-5", proxied) == {"llm.example", "gate.example"}
    assert endpoint_hosts("gpt-5", {"ALL_PROXY": "socks5://u:p@gate.example:1"}) == {"api.openai.com", "gate.example"}
    with pytest.raises(BadInput, match="OPENAI_BASE_URL"):
        endpoint_hosts("gpt-5", {"OPENAI_BASE_URL": "nowhere"})
