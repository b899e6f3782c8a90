"""Clients that other people wrote, unmodified, over TLS under the vendors' real names: recorded, and replayed alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.http_proxy import http, stand_in
from tests.peer_python import brought_python
from tests.tls_hosts import Received

HOSTS = ("api.coingecko.com", "api.binance.com", "api.llama.fi", "coins.llama.fi", "api.github.com")
KLINE = [
    1714521600000,
    "60672.01",
    "60841.63",
    "56552.82",
    "58364.97",
    "81166.47",
    1714607999999,
    "4763.1",
    9,
    "1",
    "2",
    "0",
]
REPLIES: dict[str, Any] = {
    "api.coingecko.com/api/v3/simple/price": {"bitcoin": {"usd": 58364.97}},
    "api.binance.com/api/v3/ping": {},
    "api.binance.com/api/v3/klines": [KLINE],
    "api.llama.fi/protocols": [{"name": "Aave", "slug": "aave", "tvl": 1.25e10}],
    "coins.llama.fi/prices/current/coingecko:bitcoin": {"coins": {"coingecko:bitcoin": {"price": 58364.97}}},
    "api.github.com/repos/octocat/hello": {"id": 1, "full_name": "octocat/hello", "stargazers_count": 5},
    "api.github.com/repos/octocat/hello/issues": [{"id": 7, "number": 7, "title": "文 and ü"}],
}
TOKEN = "github_pat_11ABCDEFG0aBcDeFgHiJkL"
PYCOINGECKO = """
from pycoingecko import CoinGeckoAPI
print(CoinGeckoAPI().get_price(ids="bitcoin", vs_currencies="usd"))
"""
BINANCE = """
from binance.client import Client
client = Client("KeyForTheTest0aBcDeFgHiJkLmNoPq", "secret-of-the-test")
print(client.get_klines(symbol="BTCUSDT", interval="1d", limit=1))
"""
DEFILLAMA = """
from defillama_sdk import DefiLlama
llama = DefiLlama()
print(llama.tvl.getProtocols(), llama.prices.getCurrentPrices(["coingecko:bitcoin"]))
"""
CCXT = """
import asyncio, ccxt, ccxt.async_support
asked = {"symbol": "BTCUSDT", "interval": "1d"}
print(ccxt.binance().public_get_klines(asked))
async def main():
    exchange = ccxt.async_support.binance()
    try:
        print(await exchange.public_get_klines({**asked, "limit": 1}))
    finally:
        await exchange.close()
asyncio.run(main())
"""
PYGITHUB = f"""
from github import Auth, Github
repo = Github(auth=Auth.Token("{TOKEN}")).get_repo("octocat/hello")
print(repo.stargazers_count, [issue.title for issue in repo.get_issues()])
"""
NODE = """
import https from "node:https";
const at = "https://api.coingecko.com/api/v3/simple/price?ids=bitcoin&vs_currencies=";
console.log((await Promise.all(["usd", "eur"].map((one) => fetch(at + one).then((reply) => reply.text())))).join());
https.get(at + "gbp", (reply) => reply.on("data", (part) => console.log(String(part))));
"""
GO = """
package main

import (
	"fmt"
	"io"
	"net/http"
)

func main() {
	reply, fault := http.Get("https://api.llama.fi/protocols")
	if fault != nil {
		panic(fault)
	}
	body, _ := io.ReadAll(reply.Body)
	fmt.Println(reply.StatusCode, string(body))
}
"""


def respond(asked: Received) -> dict[str, Any]:
    """What the vendor's server says; a path that it does not know is 404."""
    found = REPLIES.get(asked.url.partition("?")[0].removeprefix("https://"))
    body = json.dumps({} if found is None else found).encode()
    return {"status": 404 if found is None else 200, "headers": {"Content-Type": "application/json"}, "body": body}


def python(text: str) -> Callable[[Path], list[str]]:
    """A script for the Python that runs the tests, where the vendors' packages are."""
    return lambda folder: [sys.executable, str(written(folder / "client.py", text))]


def brought(text: str) -> Callable[[Path], list[str]]:
    """A script for the Python with the clients of requirements-clients.lock."""
    return lambda folder: [str(brought_python("clients")), str(written(folder / "client.py", text))]


def node(folder: Path) -> list[str]:
    """A script of Node's own fetch and https."""
    return [needed("node"), str(written(folder / "client.mjs", NODE))]


def go(folder: Path) -> list[str]:
    """A program, built here."""
    source, program = written(folder / "client.go", GO), folder / "client"
    environment = {**os.environ, "GO111MODULE": "off", "GOCACHE": str(folder / "cache")}
    subprocess.run([needed("go"), "build", "-o", program, source], env=environment, check=True, timeout=300)
    return [str(program)]


def curl(folder: Path) -> list[str]:
    """Two hosts over one command."""
    return [needed("curl"), "-sS", "https://api.llama.fi/protocols", "https://api.binance.com/api/v3/klines?symbol=X"]


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def needed(program: str) -> str:
    """Its path; skips where it is not, and fails there with REQUIRE_CLIENTS=1."""
    found = shutil.which(program)
    if found is None and os.environ.get("REQUIRE_CLIENTS") == "1":
        pytest.fail(f"needs {program}")
    if found is None:
        pytest.skip(f"needs {program}")
    return found


def unplugged() -> list[str]:
    """The option with which the client has no network at all; none where the system cannot."""
    return ["--isolate"] if subprocess.run(["unshare", "-rn", "true"], check=False).returncode == 0 else []


CLIENTS = {
    "pycoingecko": python(PYCOINGECKO),
    "binance": python(BINANCE),
    "defillama": python(DEFILLAMA),
    "ccxt": brought(CCXT),
    "pygithub": brought(PYGITHUB),
    "curl": curl,
    "node": node,
    "go": go,
}


@pytest.mark.check
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_of_others_is_recorded_and_replayed(tmp_path: Path, client: str) -> None:
    """It prints the same with the servers gone, every altered request is noticed, and its key is in no file."""
    command, folder = CLIENTS[client](tmp_path), tmp_path / "record"
    with stand_in(tmp_path, HOSTS, respond) as options:
        live = http("record", "--out", folder, *options, "--", *command)
    assert (live.returncode, live.stdout.strip() != "") == (0, True), live.stdout + live.stderr
    again = http("mutate", folder, *unplugged(), "--", *command)
    assert (again.returncode, again.stdout) == (0, live.stdout), again.stderr
    assert again.stderr.strip().endswith("noticed, 100.0 %") and "not recorded 0" in again.stderr
    written = b"".join(path.read_bytes() for path in folder.rglob("*.json"))
    assert written and not any(key in written for key in (TOKEN.encode(), b"KeyForTheTest", b"secret-of-the-test"))
