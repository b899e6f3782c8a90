"""A real Chromium, driven over a pipe by its own DevTools protocol: nothing listens, and nothing else is installed."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"),
    *("--disable-extensions", "--mute-audio", "--hide-scrollbars"),
)
_BETWEEN_PAGES = ("Inspected target navigated", "Cannot find default execution context", "context was destroyed")
KEYS = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowRight": 39, "ArrowLeft": 37, "Tab": 9}


def binary() -> str:
    """Where Chromium is. Skips where there is none, and fails there with REQUIRE_CLIENTS=1."""
    found = shutil.which("chromium")
    if found is None and os.environ.get("REQUIRE_CLIENTS") == "1":
        pytest.fail("chromium is not on the path")
    if found is None:
        pytest.skip("chromium is not on the path")
    return found


class Chromium:
    """One browser with one page. ``faults``: what the page threw, complained of, or was refused."""

    def __init__(self, profile: Path) -> None:
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        # The protocol has ends 3 and 4. A shell puts them there: no Python runs in the fork of a threaded process.
        there = f'exec "$@" 3<"/proc/self/fd/{to_read}" 4>"/proc/self/fd/{to_write}"'
        quiet, command = subprocess.DEVNULL, [binary(), *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", there, "sh", *command],
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
            pass_fds=(to_read, to_write),
        )
        os.close(to_read)
        os.close(to_write)
        self._rest, self._number, self.faults, self.requests = b"", 0, list[str](), list[str]()
        self._session = ""
        page = next(one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        flat = {"targetId": page["targetId"], "flatten": True}
        self._session = self.ask("Target.attachToTarget", **flat)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def close(self) -> None:
        """End the browser and everything it started."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command and its result; what else the browser tells meanwhile is kept in ``faults``."""
        self._number += 1
        order: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            order["sessionId"] = self._session
        data = json.dumps(order).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, f"{method}: {told['error']}"
                return dict(told["result"])
            self._note(told)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._read, 1 << 20)
            assert more, "the browser is gone"
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))

    def _note(self, told: dict[str, Any]) -> None:
        parameters = told.get("params", {})
        if told.get("method") == "Runtime.exceptionThrown":
            self.faults.append(str(parameters["exceptionDetails"].get("exception", {}).get("description")))
        if told.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.faults.append(parameters["entry"]["text"])
        if told.get("method") == "Page.javascriptDialogOpening":
            self.faults.append(f"dialog: {parameters['message']}")
        if told.get("method") == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"][:200])

    def open(self, address: str) -> None:
        """Go to an address and wait until its first screen is painted: a browser drops the keys that come before."""
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=address)
        self.wait("document.documentElement?.dataset.ready")
        self.wait("performance.getEntriesByName('first-contentful-paint').length")

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        told = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def wait(self, script: str, tries: int = 3000) -> None:
        """Ask until an expression is true, also while one page goes and the next one comes."""
        for _ in range(tries):
            try:
                if self.run(f"!!({script})"):
                    return
            except AssertionError as fault:
                if not any(words in str(fault) for words in _BETWEEN_PAGES):
                    raise
            time.sleep(0.02)
        raise AssertionError(f"never came true: {script}; faults: {self.faults}")

    def go(self, place: str, until: str) -> None:
        """Another place in the page, and what stands there when it is drawn."""
        drawn = "() => requestAnimationFrame(() => setTimeout(() => done(null), 20))"
        self.run(
            f"new Promise((done) => {{ const was = location.hash; location.hash = {json.dumps(place)}; "
            f"if (location.hash === was) done(null); else addEventListener('hashchange', {drawn}, {{ once: true }}) }})"
        )
        self.wait(until)

    def press(self, key: str) -> None:
        """One key."""
        text = {"text": "\r" if key == "Enter" else key} if key == "Enter" or len(key) == 1 else {}
        code = {"windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper())), "key": key}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **code, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **code)

    def picture(
        self, path: Path, width: int = 1280, height: int = 900, *, dark: bool = False, full: bool = False
    ) -> None:
        """A screenshot as PNG."""
        self.look(width, height, dark=dark)
        time.sleep(0.3)
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=full, **self._clip(width, full))
        path.write_bytes(base64.b64decode(shot["data"]))

    def look(self, width: int = 1280, height: int = 900, *, dark: bool = False) -> None:
        """How large the window is, and what the reader prefers."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def _clip(self, width: int, full: bool) -> dict[str, Any]:
        if not full:
            return {}
        height = min(8000, self.run("document.documentElement.scrollHeight"))
        return {"clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}
