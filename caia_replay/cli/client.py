"""``client``: what ``serve tools`` says over HTTP, for agents that are shell scripts."""

from __future__ import annotations

import json
from typing import Any

import click

from caia_replay.errors import BadInput, CheckFailed, one_line


@click.command()
@click.argument("url")
@click.argument("tool", required=False)
@click.argument("arguments", metavar="[JSON]", required=False, default="{}")
@click.option("--task", default="", metavar="ID", help="Of a server: the next run of this task.")
@click.option("--tools", is_flag=True, help="Of a session: its tools, as a chat completion's request holds them.")
@click.option("--answer", metavar="TEXT", help="Of a session: end its run with this answer.")
@click.option("--leave", is_flag=True, help="Of a session: end its run without an answer.")
def client(url: str, tool: str | None, arguments: str, task: str, tools: bool, answer: str | None, leave: bool) -> None:
    """Play a run of caia-replay serve tools from a shell.

    With the URL that it prints: take the next run and print its session, a URL; exit 1 when none is left. With a
    session: print its question, or call TOOL and print what it replies.
    """
    if "/sessions/" not in url:
        server = url.rstrip("/")
        print(f"{server}/sessions/{_asked('POST', f'{server}/sessions', {'task': task} if task else {})['session']}")
    elif answer is not None:
        print(_asked("POST", f"{url}/answer", {"answer": answer})["stop"])
    elif leave:
        print(_asked("DELETE", url)["stop"])
    elif tool is not None:
        print(_reply("POST", f"{url}/tools/{tool}", content=arguments).text)
    else:
        told = _asked("GET", url)
        if told["state"] == "ended":
            raise CheckFailed(f"this session has ended: {told['stop']}")
        print(json.dumps(told["tools"]) if tools else told["question"])


def _asked(method: str, url: str, body: object = None) -> Any:
    return _reply(method, url, content=json.dumps(body) if body is not None else None).json()


def _reply(method: str, url: str, content: str | None = None) -> Any:
    """What the server replies. Raises ``CheckFailed`` for what it refuses, ``BadInput`` where none answers."""
    import httpx2

    try:
        headers = {"content-type": "application/json"}
        reply = httpx2.request(method, url, content=content, headers=headers, timeout=600, trust_env=False)
        if reply.is_error:
            raise CheckFailed(one_line(reply.json()["error"]["message"]))
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, LookupError, TypeError) as fault:
        what = f"no caia-replay serve tools answers there: {fault}"
        raise BadInput(what, where=url, next_command="the URL that it prints") from None
    return reply
