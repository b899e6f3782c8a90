"""Local servers under the real names of hosts, and the ``http`` commands run against them."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import trustme

from tests.tls_hosts import Respond, answering

_CLI = "from caia_replay.cli import main; main()"


@contextmanager
def stand_in(folder: Path, hosts: Sequence[str], respond: Respond) -> Iterator[list[str]]:
    """A server that presents certificates for ``hosts``; the options of ``http record`` that lead there."""
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*hosts).configure_cert(context)
    file = folder / "stand-in.pem"
    authority.cert_pem.write_to_path(str(file))
    with answering(context, respond) as port:
        yield [
            *("--upstream-ca", str(file)),
            *(word for host in hosts for word in ("--connect-to", f"{host}:443=127.0.0.1:{port}")),
        ]


def http(*words: str | Path, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """``caia-replay http WORDS`` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", _CLI, "http", *map(str, words)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
