"""A model's llama.cpp server: started on a port of the system's choice, known to be ours, and gone when we are."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Any, Final

import httpx2

from caia_replay.child_process import ChildProcess, plain_environment
from caia_replay.errors import MachineFault
from caia_replay.models.llama_server import KEY
from caia_replay.models.local_file import SERVER, LocalFile

_LISTENING: Final = re.compile(rb"^LISTENING (http://127\.0\.0\.1:\d+)$", re.MULTILINE)
_START_TIMEOUT_S: Final = 300.0
_ASK_TIMEOUT_S: Final = 120.0
_POLL_S: Final = 0.01


class LocalServer:
    """A running server, at ``url``, which answers whoever shows the key it was given."""

    def __init__(self, file: LocalFile, key: str) -> None:
        """Start it and wait until it answers. Raises ``MachineFault`` with its last words where it does not."""
        settings = file.settings
        told = {name: getattr(settings, name) for name in ("context", "batch", "slots", "threads", "cache")}
        command = [
            str(file.python),
            "-I",
            str(SERVER),
            "serve",
            json.dumps({"path": str(file.path), "name": file.label, **told}),
        ]
        self._label = file.label
        try:
            self._child = ChildProcess(command, plain_environment() | {KEY: key}, "llama")
        except OSError as fault:
            raise MachineFault(f"{file.python} cannot be started: {fault}") from fault
        try:
            self.url = self._wait_for_address()
            self._client = httpx2.Client(
                base_url=self.url,
                headers={"authorization": f"Bearer {key}"},
                trust_env=False,
                timeout=_ASK_TIMEOUT_S,
            )
            self._require_health()
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._child.alive

    def end(self, within_s: float) -> str:
        """How it ended, in words; "" where it still runs after so long."""
        if not self._child.ended(within_s):
            return ""
        code = self._child.exit_code
        return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"

    def prompt(self, body: Mapping[str, Any]) -> str:
        """The text that the model's own chat template makes of a request's messages and tools."""
        return str(self._ask("/apply-template", body)["prompt"])

    def tokens(self, text: str) -> int:
        """How many tokens of the model's a text is, with what begins every prompt of it."""
        return len(self._ask("/tokenize", {"content": text, "add_special": True, "parse_special": True})["tokens"])

    def stop(self) -> None:
        """End it, whatever it does; may be called twice."""
        if hasattr(self, "_client"):
            self._client.close()
        self._child.stop()

    def _ask(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        try:
            reply = self._client.post(path, json=dict(body))
            found = reply.raise_for_status().json()
        except (httpx2.HTTPError, ValueError) as fault:
            raise MachineFault(f"the server of {self._label} does not answer at {path}: {fault}") from fault
        return found if isinstance(found, dict) else {}

    def _require_health(self) -> None:
        try:
            self._client.get("/health").raise_for_status()
        except httpx2.HTTPError as fault:
            raise MachineFault(f"the server of {self._label} is not well: {fault}") from fault

    def _wait_for_address(self) -> str:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < deadline:
            found = _LISTENING.search(self._child.output())
            if found:
                return found[1].decode()
            if not self._child.alive:
                break
            time.sleep(_POLL_S)
        words = self._child.last_words()
        raise MachineFault(f"the server of {self._label} did not start: {words or 'it said nothing'}")
