"""Names to models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from caia_replay.core.message import Message
from caia_replay.core.model import PolicyHints, Price, RunKey
from caia_replay.errors import BadInput, MissingKey
from caia_replay.models.openai_compatible import OPENAI_BASE_URL, OpenAICompatibleModel
from caia_replay.models.parameter import Quirks
from caia_replay.models.recorded import RecordedModel
from caia_replay.models.registry import registered_models
from caia_replay.models.resolve import (
    NO_KEY,
    endpoint_hosts,
    endpoint_of,
    is_deterministic,
    policy_about,
    policy_names,
    resolve_model,
)
from tests.unit.models.conftest import Tape

ALL_KEYS = {model.key_variable: "a-key-of-somebody" for model in registered_models().values()}
LOCAL = "http://127.0.0.1:1/v1"
ELSEWHERE = "https://llm.example/v1"


@contextmanager
def live(name: str, environ: Mapping[str, str]) -> Iterator[OpenAICompatibleModel]:
    model = resolve_model(name, environ)
    assert isinstance(model, OpenAICompatibleModel) and not model.is_policy and not model.needs_gold
    yield model
    model.close()


def asked_at(model: OpenAICompatibleModel) -> tuple[str, str]:
    """The address and the key that the model's client uses."""
    client = model.client()
    return str(client.base_url).rstrip("/"), client.api_key


def test_every_policy_resolves_without_a_key() -> None:
    """Policies need nothing from the environment and are described; scripts repeat themselves, drawn ones do not."""
    for name in policy_names():
        model = resolve_model(f"policy/{name}", {})
        facts = (model.name, model.is_policy, model.needs_gold, model.price)
        assert facts == (f"policy/{name}", True, name in {"oracle", "known-rate"}, None) and policy_about(name)
        model.close()
    drawn = {name for name in policy_names() if not is_deterministic(f"policy/{name}")}
    assert "known-rate" in drawn and not drawn & {"oracle", "chain-only", "credulous"}
    assert not any(map(is_deterministic, ("gpt-5", "oracle", "recorded/oracle", "recorded/policy/oracle")))


@pytest.mark.parametrize("name", registered_models())
def test_every_registered_model_is_asked_at_its_provider_with_its_own_key(name: str) -> None:
    """Under the name it has there; no other key will do; one that another answers for is refused, key or not."""
    known = registered_models()[name]
    environ = {known.key_variable: "a-key-of-somebody"}
    if known.replaced_by:
        for some in (environ, {}):
            with pytest.raises(BadInput, match=rf"retired {name} .*{known.replaced_by}.*OPENAI_BASE_URL") as refused:
                resolve_model(name, some)
            assert not isinstance(refused.value, MissingKey)
        return
    with live(name.upper(), environ) as model:
        assert asked_at(model) == (known.base_url, "a-key-of-somebody")
        assert (model.name, model.api_name, model.key_variable) == (name, known.api_name, known.key_variable)
        assert (model.price, model.quirks) == (known.price, known.quirks)
    others = {variable: key for variable, key in ALL_KEYS.items() if variable != known.key_variable}
    for environ in ({}, {known.key_variable: "  "}, others):
        with pytest.raises(MissingKey, match=rf"{name}.* needs {known.key_variable} .*policy/credulous") as caught:
            resolve_model(name, environ)
        assert caught.value.exit_code == 2 and len(str(caught.value)) < 600


def test_a_base_url_goes_before_the_registry_and_asks_for_the_openai_key() -> None:
    """Any name goes there as it was typed, at no price anybody told, its quirks with it; with OPENAI_API_KEY alone."""
    environ = ALL_KEYS | {"OPENAI_API_KEY": "the-proxys-key", "OPENAI_BASE_URL": ELSEWHERE}
    for name in ("Claude-Opus-4", "grok-4", "meta/llama-9"):
        with live(name, environ) as model:
            assert asked_at(model) == (ELSEWHERE, "the-proxys-key") and model.price is None
        endpoint = endpoint_of(name, environ)
        assert (endpoint.api_name, endpoint.key_variable) == (name, "OPENAI_API_KEY")
    with pytest.raises(MissingKey, match=r"needs OPENAI_API_KEY .*as OPENAI_BASE_URL is set.*policy/oracle"):
        resolve_model("claude-opus-4", {"ANTHROPIC_API_KEY": "k", "OPENAI_BASE_URL": ELSEWHERE})
    assert endpoint_of("gpt-5", {"OPENAI_BASE_URL": ELSEWHERE}).quirks.temperature is False
    assert endpoint_of("anything", {"OPENAI_BASE_URL": ELSEWHERE}).quirks == Quirks()


def test_a_name_is_sent_as_typed_with_what_the_model_cannot_take_left_out(server: Any) -> None:
    """A server on this machine gets the typed name, no key of anybody's, and no temperature for a reasoning model."""
    server.will(200, {"choices": [{"message": {"role": "assistant", "content": "1"}, "finish_reason": "stop"}]})
    others = {variable: key for variable, key in ALL_KEYS.items() if variable != "OPENAI_API_KEY"}
    for name in ("GPT-5", "gpt-4.1"):
        with live(name, others | {"OPENAI_BASE_URL": server.base_url}) as model:
            model.session(RunKey("t", "clean", "tools", "react", 1), PolicyHints("q")).complete(
                [Message("user", "q")], []
            )
    sent = [(headers["authorization"], body["model"], "temperature" in body) for headers, body in server.received]
    assert sent == [(f"Bearer {NO_KEY}", "GPT-5", False), (f"Bearer {NO_KEY}", "gpt-4.1", True)]


def test_a_base_url_that_is_the_providers_own_changes_nothing_but_the_key() -> None:
    """OPENAI_BASE_URL with OpenAI's address keeps name and price, and a replaced model is refused there too."""
    environ = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{OPENAI_BASE_URL}/"}
    known = registered_models()["gpt-5"]
    endpoint = endpoint_of("gpt-5", environ)
    assert (endpoint.api_name, endpoint.price, endpoint.key_variable) == (known.api_name, known.price, "OPENAI_API_KEY")
    for address in (registered_models()["grok-4"].base_url, "HTTPS://API.X.AI:443/v1//"):
        with pytest.raises(BadInput, match=r"grok-4\.3"):
            resolve_model("grok-4", environ | {"OPENAI_BASE_URL": address})
    for address in ("https://API.openai.com/v1", "https://api.openai.com:443/v1"):
        assert endpoint_of("gpt-5", {"OPENAI_BASE_URL": address}).price == known.price


def test_a_server_on_this_machine_needs_no_key() -> None:
    """Loopback is asked with a word in place of a key, or with the key that is set; what only looks like it is not."""
    for host in ("127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST", "[::1]"):
        environ = {"OPENAI_BASE_URL": f"http://{host}:8000/v1"}
        with live("your-model", environ) as model:
            assert asked_at(model)[1] == NO_KEY
        with live("your-model", environ | {"OPENAI_API_KEY": "local-key"}) as model:
            assert asked_at(model)[1] == "local-key"
    for host in ("10.0.0.1", "localhost.example", "0.0.0.0", "128.0.0.1"):
        with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
            resolve_model("your-model", {"OPENAI_BASE_URL": f"http://{host}:8000/v1"})


def test_an_unknown_name_names_the_nearest() -> None:
    """No name but a known one becomes a live model, whatever keys there are; a policy's bare name never does."""
    for name, nearest in (
        ("gpt5", "gpt-5"), ("claude-4-opus", "claude-opus-4"), ("deepseek-r1-0258", "deepseek-r1"),
        ("policy/orcale", "policy/oracle"), ("oracle", "policy/oracle"), ("Credulous", "policy/credulous"),
        ("policy/chain", "policy/chain-only"),
    ):  # fmt: skip
        for environ in (ALL_KEYS, {}):
            with pytest.raises(BadInput, match=f"nearest: {nearest}") as caught:
                resolve_model(name, environ)
            assert not isinstance(caught.value, MissingKey) and "next: " in str(caught.value)
    with pytest.raises(BadInput, match="nearest: policy/oracle"):
        resolve_model("oracle", {"OPENAI_BASE_URL": LOCAL})
    for name in ("", "  ", "a\nb"):
        for environ in (ALL_KEYS, ALL_KEYS | {"OPENAI_BASE_URL": LOCAL}):
            with pytest.raises(BadInput, match="needs a name"):
                resolve_model(name, environ)


def test_a_recorded_model_plays_from_the_tape_it_is_given() -> None:
    """It needs no key and bears the tape's price; without a tape the message says where to look."""
    tape = Tape()
    tape.price = Price("1", "2", "2026-01-02", "a page")  # type: ignore[attr-defined]
    model = resolve_model("recorded/mine", {}, tape=tape)  # type: ignore[arg-type]
    assert isinstance(model, RecordedModel)
    assert (model.name, model.is_policy, model.price) == ("recorded/mine", False, tape.price)  # type: ignore[attr-defined]
    model.close()
    for name in ("recorded/mine", "recorded/"):
        with pytest.raises(BadInput, match="caia-replay models"):
            resolve_model(name, ALL_KEYS)


def test_an_address_that_is_none_is_told_without_its_password() -> None:
    """Settings no request can be made with are told before any run, and without what may be secret."""
    for url in (
        "localhost:1", "ftp://a.example", "http://", "http://a b", "http://[::1", "http://a:99999999",
        "user:word-0123@a.example", "ftp://user:word-0123@a.example", "http://u:word-0123@a:0", "http://u:x/word-0123@a",
    ):  # fmt: skip
        for name in ("m", "gpt-5"):
            with pytest.raises(BadInput, match="OPENAI_BASE_URL") as caught:
                resolve_model(name, {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": url})
            assert "word-0123" not in str(caught.value)


def test_an_address_with_a_query_is_refused_without_showing_it() -> None:
    """A request's path goes to the end of the address, where a query would swallow it; the query may hold a key."""
    for end in ("?api-version=1", "#here", "?", "?key=sk-0123456789abcdef"):
        with pytest.raises(BadInput, match="without a query") as caught:
            resolve_model("m", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{ELSEWHERE}{end}"})
        assert str(caught.value).endswith(f"nearest: {ELSEWHERE}") and caught.value.exit_code == 2


def test_an_unusable_key_is_told_without_being_shown() -> None:
    """A key no header can carry is named by its variable, never printed."""
    asked = {model.key_variable: model.name for model in registered_models().values() if not model.replaced_by}
    for variable, name in asked.items():
        with pytest.raises(BadInput) as caught:
            resolve_model(name, {variable: "sécret key"})
        assert "cret" not in str(caught.value) and variable in str(caught.value)


def test_no_message_shows_a_key() -> None:
    """Refusals of every kind leave the keys of the environment out."""
    secret = "sk-0123456789abcdef"
    environ: dict[str, Any] = dict.fromkeys(ALL_KEYS, secret)
    for name in ("grok-4", "nobody-s-model", "policy/none", "recorded/none", ""):
        with pytest.raises(BadInput) as caught:
            resolve_model(name, environ)
        assert secret not in str(caught.value)
    del environ["OPENAI_API_KEY"]
    with pytest.raises(MissingKey) as missing:
        resolve_model("gpt-5", environ)
    assert secret not in str(missing.value)


def test_the_hosts_of_an_endpoint_are_its_own_and_its_proxy_s() -> None:
    """None for policies and tapes; for a live model its endpoint's, and the proxy the environment names for it."""
    proxied = {"OPENAI_BASE_URL": "http://llm.example:8080/v1", "http_proxy": "gate.example:3128", "HTTPS_PROXY": "x"}
    assert endpoint_hosts("policy/oracle", proxied) == endpoint_hosts("recorded/any", proxied) == frozenset()
    assert endpoint_hosts("gpt-5", {}) == {"api.openai.com"}
    assert endpoint_hosts("claude-opus-4-0", {}) == {"api.anthropic.com"}
    assert endpoint_hosts("gpt-5", proxied) == endpoint_hosts("m", proxied) == {"llm.example", "gate.example"}
    assert endpoint_hosts("gpt-5", {"ALL_PROXY": "socks5://u:p@gate.example:1"}) == {"api.openai.com", "gate.example"}
    spelt = {"b\u00fccher.example", "xn--bcher-kva.example"}
    assert endpoint_hosts("m", {"OPENAI_BASE_URL": "https://B\u00fccher.example/v1"}) == spelt
    assert endpoint_hosts("gpt-5", {"https_proxy": "b\u00fccher.example:1"}) == spelt | {"api.openai.com"}
    with pytest.raises(BadInput, match="no proxy's address") as caught:
        endpoint_hosts("gpt-5", {"https_proxy": "http://u:word-0123@\u2603\u200b.example"})
    assert "word-0123" not in str(caught.value)
    for wrong in ("nowhere", "https://\u2603\u200b.example/v1"):
        with pytest.raises(BadInput, match="OPENAI_BASE_URL"):
            endpoint_hosts("gpt-5", {"OPENAI_BASE_URL": wrong})
    with pytest.raises(BadInput, match="no model"):
        endpoint_hosts("nobody-s-model", {})
