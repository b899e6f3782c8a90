"""Servers that repeat what they are sent: no secret stays, and what is kept still replays."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from caia_replay.core.model import PolicyHints
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.key_hiding import Hiding
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.recorded import RecordedModel
from caia_replay.models.tape_recorder import recording
from tests.chat_server import ChatServer
from tests.echo_law import ENCODINGS, PLACES, heard, leaks, repeated
from tests.unit.models.conftest import ASK, KEY, Tape

SECRET = 'sk-"a\\b/c+d~e?%41&0123456789'
USER, WORD = "deploy-robot-7", "p@ss:w\u00f6rd/1"
GATE_USER, GATE_WORD = "gate-robot-42", "w&rd+9>?"


def said_by(model: object) -> object:
    """A completion, or the fault in its place; closed then."""
    session = model.session(KEY, PolicyHints("q"))  # type: ignore[attr-defined]
    try:
        return session.complete(ASK, ())
    except (ModelFault, BadInput) as fault:
        return fault
    finally:
        session.close()
        model.close()  # type: ignore[attr-defined]


CENTRAL = {"content", "content parts", "arguments", "model name", "error message", "event pieces"}


@pytest.mark.parametrize(
    "place", [place if place in CENTRAL else pytest.param(place, marks=pytest.mark.check) for place in PLACES]
)
def test_no_secret_stays_of_an_echo(server: ChatServer, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Key, users and passwords are gone from what is said, and from a tape, which replays as it was heard."""
    gate = server.base_url.replace("//", f"//{GATE_USER}:{quote(GATE_WORD, safe='')}@")
    monkeypatch.setenv("http_proxy", gate.removesuffix("/v1"))
    monkeypatch.setenv("no_proxy", "")
    server.plan = [lambda headers: PLACES[place](repeated(headers))]
    for login in ("", f"{USER}:{quote(WORD, safe='')}@"):
        sink = Tape()
        live = OpenAICompatibleModel("m", f"http://{login}llm.example/v1", SECRET, timeout_s=60, max_retries=0)
        said = said_by(recording(live, sink))
        secrets = heard(server.received[-1][0])
        assert set(secrets) >= {*([USER, WORD] if login else [SECRET]), GATE_USER, GATE_WORD}
        assert not leaks(repr([said, str(said), sink.runs]), secrets)
        if not isinstance(said, BadInput):
            again = said_by(RecordedModel("r", sink))
            assert getattr(again, "reason", again) == getattr(said, "reason", said)


def test_secrets_go_in_every_encoding() -> None:
    """Each alone and beside others, in a whole mark where it is whole; other texts stay as they are."""
    hide = Hiding([SECRET, WORD, f"me:{WORD}"])
    for secret in (SECRET, WORD):
        for name, encode in ENCODINGS.items():
            spelt = encode(secret)
            for text in (f"<{spelt}> \\n %20 &amp;", f"{spelt}{spelt} {encode('other words')}"):
                clean = hide(text)
                assert not leaks(clean, [secret]) and hide(clean) == clean, (name, clean)
                assert "within" in name or clean.replace("=", "").startswith(("<***> \\n %20 &amp;", "******")), clean
    for text in ("", "no key", SECRET[:-1], "100% \\u0041 %41 &amp; &#65; \\\\ \\/", ENCODINGS["base64"](SECRET)[:-6]):
        assert hide(text) == text
    assert Hiding(["none", ""])("none, or bm9uZQ") == "none, or bm9uZQ"
