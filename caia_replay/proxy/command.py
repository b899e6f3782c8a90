"""A command run behind the proxy: what its environment says, and how it ends."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from caia_replay.errors import BadInput
from caia_replay.proxy import isolated
from caia_replay.proxy.authority import Authority, system_roots
from caia_replay.proxy.exchange import Answerer
from caia_replay.proxy.server import ProxyServer

_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_BUNDLES: Final = (
    "SSL_CERT_FILE",  # OpenSSL, Go, httpx, aiohttp
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "AWS_CA_BUNDLE",
    "PIP_CERT",
    "CARGO_HTTP_CAINFO",
    "DENO_CERT",
    "npm_config_cafile",
    "NODE_EXTRA_CA_CERTS",
)
_ISOLATED_URL: Final = f"http://127.0.0.1:{isolated.PORT}"
_PATIENCE_S: Final = 5.0
_NODE_HOOK: Final = Path(__file__).with_name("node_hook.cjs")
_PYTHON_HOOK: Final = Path(__file__).with_name("python_hook")


def run_behind(answerer: Answerer, command: Sequence[str], *, trust_system: bool, isolate: bool = False) -> int:
    """Run ``command`` with its HTTP led to ``answerer``; its exit code, or 128 and the signal that ended it.

    The authority lives as long as the command. ``trust_system`` adds the machine's own authorities to those that the
    command trusts. With ``isolate`` the command has no network but the proxy. Raises ``BadInput`` when the command
    cannot be started, or not so.
    """
    authority = Authority()
    roots = system_roots() if trust_system else b""
    with tempfile.TemporaryDirectory(prefix="caia-replay-") as folder:
        bundle = Path(folder) / "authorities.pem"
        bundle.write_bytes(authority.certificate + roots)
        if isolate:
            return _run_isolated(answerer, authority, command, environment(os.environ, _ISOLATED_URL, bundle))
        with ProxyServer(answerer, authority) as proxy:
            return _wait(_start(command, environment(os.environ, proxy.url, bundle)))


def environment(own: Mapping[str, str], proxy_url: str, bundle: Path) -> dict[str, str]:
    """``own`` with the proxy and the authorities under every name by which programs look for them."""
    changed = {name: value for name, value in own.items() if name.lower() != "no_proxy"}
    for name in _PROXIES:
        changed[name] = changed[name.lower()] = proxy_url
    changed |= dict.fromkeys(_BUNDLES, str(bundle))
    changed["NODE_USE_ENV_PROXY"] = "1"
    hook = str(_NODE_HOOK).replace("\\", "\\\\").replace('"', '\\"')
    changed["NODE_OPTIONS"] = f'{own.get("NODE_OPTIONS", "")} --require "{hook}"'.strip()
    changed["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_PYTHON_HOOK), own.get("PYTHONPATH", ""))))
    return changed


def _run_isolated(answerer: Answerer, authority: Authority, command: Sequence[str], env: Mapping[str, str]) -> int:
    if shutil.which(command[0], path=env.get("PATH")) is None:
        raise _not_run(command, "no such program")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        inside = [sys.executable, "-I", isolated.__file__, str(theirs.fileno()), str(isolated.PORT), *command]
        child = _start(inside, env, theirs.fileno())
        theirs.close()
        told, descriptors, _, _ = socket.recv_fds(ours, 200, 1)
        if not descriptors:
            child.wait()
            what = (
                f"this machine gives a command no network of its own: {told.decode('utf-8', 'replace') or 'no reason'}"
            )
            raise BadInput(what, where="--isolate", next_command="the same without --isolate")
        with ProxyServer(answerer, authority, socket.socket(fileno=descriptors[0])):
            ours.sendall(b"1")
            return _wait(child)


def _start(command: Sequence[str], env: Mapping[str, str], *kept: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(command, env=dict(env), pass_fds=kept)
    except OSError as fault:
        raise _not_run(command, fault.strerror or str(fault)) from None


def _not_run(command: Sequence[str], why: str) -> BadInput:
    what = f"{command[0]!r:.200} cannot be run: {why}"
    return BadInput(what, next_command=f"a program that exists: -- {shlex.join(command)[:80]}")


def _wait(child: subprocess.Popen[bytes]) -> int:
    # From a terminal the command gets a Ctrl-C, too, and has time to end as it likes; what it asked is kept.
    for patience_s, end in ((None, None), (_PATIENCE_S, child.terminate), (_PATIENCE_S, child.kill)):
        try:
            return _code(child.wait(patience_s))
        except KeyboardInterrupt:
            continue
        except subprocess.TimeoutExpired:
            if end is not None:
                end()
    return _code(child.wait())


def _code(code: int) -> int:
    return code if code >= 0 else 128 - code
