"""Worlds whose files say what they should not, or keep whoever opens them waiting: refused, or told and harmless."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns import kept as kept_campaign

URL = "https://learn.protocolhandbook.example/fees/eip-1559"
TASK = "mini6-base-fee-bound"
CALL = ("call", "url_fetching", json.dumps({"url": URL}), "--task", TASK)
ADDRESS = "https://h.example/a"


def item(**change: Any) -> dict[str, Any]:
    """An exchange with fields changed by their dotted path."""
    value: dict[str, Any] = {
        "request": {"method": "GET", "uri": ADDRESS, "body": None, "headers": {}},
        "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": "x"}},
    }
    for path, new in change.items():
        *parents, last = path.split("__")
        at = value
        for name in parents:
            at = at[name]
        at[last] = new
    return value


def text(*items: dict[str, Any], **more: Any) -> str:
    return json.dumps({"version": 1, "interactions": list(items), **more})


def reply(body: object, **change: Any) -> str:
    return text(item(response__body={"string": body if isinstance(body, str) else json.dumps(body)}, **change))


REFUSED: dict[str, str] = {
    "a number of a million digits": '{"version": 1, "interactions": [' + "9" * 1_000_000 + "]}",
    "1e999 as the version": '{"version": 1e999, "interactions": []}',
    "NaN as a status": text(item()).replace("200", "NaN"),
    "lists without end": "[" * 200_000,
    "nesting inside an interaction": text(item()).replace('"x"', '{"a":' * 600 + "1" + "}" * 600),
    "ten million small lists": '{"version": 1, "interactions": [' + "[]," * 10_000_000 + "[]]}",
    "a key twice": text(item()).replace('"uri"', '"uri": "https://other.example/", "uri"'),
    "a lone surrogate in a body": reply("\ud800"),
    "bytes that are not UTF-8": text(item()).replace("OK", "\udcff"),
    "a file address": text(item(request__uri="file:///etc/passwd")),
    "a unix socket's address": text(item(request__uri="http+unix://%2Frun%2Fdocker.sock/info")),
    "a line break in an address": text(item(request__uri=f"{ADDRESS}\r\nHost: other.example")),
    "a terminal escape in an address": text(item(request__uri=f"{ADDRESS}/\x1b]0;mine\x07")),
    "text turned around in an address": text(item(request__uri=f"{ADDRESS}/\u202emoc.elpmaxe")),
    "an IPv6 address of too many parts": text(item(request__uri="http://[1:2:3:4:5:6:7:8:9]/")),
    "a host that folds into another": text(item(request__uri="https://\u2100.example/")),
    "a port above all": text(item(request__uri="https://h.example:65536/")),
    "a method that is two lines": text(item(request__method="GET / HTTP/1.1\r\nX:")),
    "a header name of two lines": text(item(response__headers={"a\r\nSet-Cookie": ["b"]})),
    "a header of two lines": text(item(response__headers={"a": ["b\r\nSet-Cookie: c"]})),
    "a reason of two lines": text(item(response__status={"code": 200, "message": "OK\r\nX: y"})),
    "a status of 10^400": text(item(response__status={"code": 10**400, "message": "OK"})),
    "a status that is true": text(item(response__status={"code": True, "message": "OK"})),
    "a name that writes on the terminal": text(item(), **{"\x1b[2J": 1}),
}
SLOW = "(?:[a-zA-Z ]+)+#"


def replaced(name: str, old: str, new: str) -> Callable[[Any], None]:
    def change(ground: Any) -> None:
        path: Path = ground.world / name
        before = path.read_text()
        assert old in before
        path.write_text(before.replace(old, new, 1))
        ground.seal()

    return change


def piped(pattern: str) -> Callable[[Any], None]:
    """A pipe in the place of the first file of the snapshot that fits."""

    def change(ground: Any) -> None:
        path = next((ground.root / "chain_snapshots/mini").glob(pattern))
        path.unlink()
        os.mkfifo(path)

    return change


FILES = ("http/x.json", "seal.json", "world.toml", "suite.toml", "http/playback.toml", "overlays/edited.toml")


def recipe(field: str, before: str) -> Callable[[Any], None]:
    return replaced("suite.toml", f'{field} = "Under', f'{field} = "{before}Under')


def kept(content: str, name: str = f"tasks/{TASK}/http.json") -> Callable[[Any], None]:
    return lambda ground: (ground.world / name).write_bytes(content.encode("utf-8", "surrogateescape"))


PLAYBACK = f'[[entry]]\nurl = "{ADDRESS}"\nmode = '
REFUSED_TOML: dict[str, Callable[[Any], None]] = {
    "TOML lists without end": replaced("world.toml", "id =", "deep = " + "[" * 5_000 + "\nid ="),
    "a field twice": replaced("world.toml", "id =", 'id = "a"\nid ='),
    "a playback mode nobody knows": kept(PLAYBACK + '"random"', "http/playback.toml"),
    "playback of what is not recorded": kept(PLAYBACK + '"once"', "http/playback.toml"),
    "playback of a file address": kept(
        PLAYBACK.replace(ADDRESS, "file:///etc/passwd") + '"once"', "http/playback.toml"
    ),
    "playback with an escape": kept(PLAYBACK.replace(ADDRESS, "\\u001b[2J") + '"once"', "http/playback.toml"),
    "an id that writes on the terminal": replaced("suite.toml", f'id = "{TASK}"', 'id = "\\u001b[2J"'),
    "an anchor of another kind": replaced(f"tasks/{TASK}/task.toml", "block = 58", 'block = "58"'),
    "a task named as another": replaced(f"tasks/{TASK}/task.toml", f'id = "{TASK}"', 'id = "../mini6-supply"'),
}


QUICK = (
    *("a number of a million digits", "lists without end", "a key twice", "a lone surrogate in a body"),
    "a file address",
    *("a terminal escape in an address", "a header of two lines", "a status of 10^400", "TOML lists without end"),
    *("playback with an escape", "credentials in an address", "a next page that escapes", "a recipe that takes a year"),
    *("a plant at a file", "a pipe for seal.json", "a pipe for *storage*", "thousands of dots"),
)
"""One of each class; the others are of make check."""


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.check) for name in (*REFUSED, *REFUSED_TOML)],
)
def test_a_world_that_breaks_the_rules_is_refused(ground: Any, server: Callable[..., Any], name: str) -> None:
    """lint and call end with one printable line and exit code 2, and change no file."""
    change = kept(REFUSED[name]) if name in REFUSED else REFUSED_TOML[name]
    change(ground)
    ground.seal()
    before = ground.files()
    for arguments in (("lint",), CALL):
        done = server(ground.root, *arguments)
        assert (done.code, done.errors.count("\n")) == (2, 1), done
        assert done.errors[:-1].isprintable() and done.errors.startswith(str(ground.world))
        assert ground.files() == before


RPC = [{"jsonrpc": "2.0", "id": number, "method": "eth_chainId"} for number in range(5_000)]
FOUND: dict[str, tuple[Callable[[Any], None], str]] = {
    "credentials in an address": (kept(text(item(request__uri="https://me:pa55-w0rd-long@h.test/"))), "not scrubbed"),
    "a long sequence": (kept(text(*(item(response__body={"string": str(n)}) for n in range(900)))), "never asks"),
    "a batch of thousands": (kept(text(item(request__method="POST", request__body=json.dumps(RPC)))), "never asks"),
    "an address of a million letters": (kept(text(item(request__uri=f"{ADDRESS}?{'a' * 10**6}"))), "never asks"),
    "a header of a million brackets": (kept(text(item(response__headers={"link": ["<" * 10**6]}))), "never asks"),
    "a next page that escapes": (kept(reply({"next": "https://h/\x1b[2J"})), "which is not recorded"),
    "names that nearly are a next page": (kept(reply({"next" + "page" * 9999 + "!": "x"})), "never asks"),
    "a date of another calendar": (kept(text(item(response__headers={"date": ["Mon, 99 Foo"]}))), "cannot be read"),
    "a reader's reply that is none": (
        lambda ground: (ground.world / "http" / "x.json").write_text(
            text(item(request__uri="https://r.jina.ai/https://x.example/", response__body={"string": "[" * 99}))
        ),
        "no page: https://x.example/",
    ),
    "a recipe that takes a year": (recipe("question", SLOW), "recipe of"),
    "a gold pattern that takes a year": (
        replaced(f"tasks/{TASK}/task.toml", "'at most ([0-9.]+)%'", f"'{SLOW}'"), "gold matches",
    ),
    "a plant on a recorded page": (
        lambda ground: _plant(ground, URL), "which is a recorded page",
    ),
    "a plant at a file": (lambda ground: _plant(ground, "file:///etc/passwd"), "which is no web address"),
    "a plant that escapes": (lambda ground: _plant(ground, "https://h\\u001b[2J/"), "which is no web address"),
    "a plant without its lie": (
        lambda ground: _plant(ground, "https://h\\u001b[2J/", 'text = "'), "does not hold its planted value",
    ),
}  # fmt: skip


def _plant(ground: Any, url: str, emptied: str = "no such field") -> None:
    path = kept_campaign(ground.world)
    before, _, rest = path.read_text().partition('url = "')
    rest = rest[rest.index('"') + 1 :].replace(emptied, f'{emptied}nothing" # ', 1)
    path.write_text(f'{before}url = "{url}"{rest}')


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.check) for name in FOUND]
)
def test_an_odd_world_is_told_of_and_does_no_harm(ground: Any, server: Callable[..., Any], name: str) -> None:
    """lint ends with findings and writes nothing but text; a call in that world answers or says that it cannot."""
    change, words = FOUND[name]
    change(ground)
    ground.seal()
    before = ground.files()
    done = server(ground.root, "lint")
    assert done.code == 1 and re.search(r"[0-9] findings?\n\Z", done.errors) and words in done.out, done
    assert "pa55" not in done.out and all(line.isprintable() for line in done.out.splitlines())
    asked = server(ground.root, *CALL)
    assert asked.code in (0, 1) and "Traceback" not in asked.errors and asked.errors.count("\n") <= 1, asked
    assert ground.files() == before


REPLAY = ("replay", "--runs", "1", "--model", "policy/credulous", "--task", TASK, "--out", "run")
TASK_FILE = f"tasks/{TASK}/task.toml"


def pipe(name: str) -> Callable[[Any], None]:
    def change(ground: Any) -> None:
        path: Path = ground.world / name
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        os.mkfifo(path)

    return change


WAITING = {
    **{f"a pipe for {name}": pipe(name) for name in (*FILES, "targets.toml", TASK_FILE)},
    **{f"a pipe for {name}": piped(name) for name in ("manifest.json", "*storage*")},
    "a number of five thousand digits": replaced(TASK_FILE, "timestamp = ", f"x = {'9' * 5000}\ntimestamp = "),
    "thousands of dots": replaced(TASK_FILE, "arguments = { ", f"arguments = {{ {'.'.join('a' * 9000)} = 1, "),
    "nan for a tool": replaced(TASK_FILE, "arguments = { ", "arguments = { d = nan, "),
}


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.check) for name in WAITING]
)
def test_nobody_waits_for_such_a_world(ground: Any, server: Callable[..., Any], name: str) -> None:
    """lint and call say what is wrong, in one line with exit code 2; nothing is read without end."""
    WAITING[name](ground)
    for arguments in (("lint",), CALL):
        done = server(ground.root, *arguments)
        assert (done.code, done.errors.count("\n")) == (2, 1), done
        assert done.errors[:-1].isprintable()


@pytest.mark.parametrize(("name", "old", "new", "command"), [
    (TASK_FILE, "'at most ([0-9.]+)%'", f"'{SLOW}'", ("verify",)),
    ("suite.toml", 'question = "Under', f'question = "{SLOW}Under', REPLAY),
])  # fmt: skip
def test_a_pattern_that_takes_a_year_is_not_matched(
    ground: Any, server: Callable[..., Any], name: str, old: str, new: str, command: tuple[str, ...]
) -> None:
    """verify and replay say which pattern it is instead."""
    replaced(name, old, new)(ground)
    done = server(ground.root, *command)
    assert done.code in (1, 2) and "a pattern that repeats" in done.out + done.errors, done
    assert "Traceback" not in done.errors, done


def test_nothing_a_world_says_writes_on_the_terminal(ground: Any, server: Callable[..., Any]) -> None:
    """Escapes in what a world tells of itself, and in an answer that came from a page, are shown as what they are."""
    replaced("world.toml", 'about = "', 'about = "\\u001b]0;mine\\u0007')(ground)
    pages = ground.world / "http" / "pages.json"
    value = json.loads(pages.read_bytes())
    for item in value["interactions"]:
        body = json.loads(item["response"]["body"]["string"])
        if not body.get("data"):
            continue  # a refusal that was recorded
        body["data"]["content"] = body["data"]["content"].replace("at most 12.5%", "at most \x1b[2J12.5%")
        item["response"]["body"]["string"] = json.dumps(body)
    pages.write_text(json.dumps(value))
    replaced(TASK_FILE, "'at most ([0-9.]+)%'", "'at most ([^%]+)%'")(ground)
    for command in (("verify",), REPLAY, CALL):
        done = server(ground.root, *command)
        assert "Traceback" not in done.errors and "\x1b" not in done.out + done.errors, done
