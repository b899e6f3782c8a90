"""Runs first in every Python that a command behind the proxy starts: leads clients that ignore the environment to it.

``requests`` and ``aiohttp`` take a proxy from the environment unless told otherwise, and some clients (ccxt) tell them
so; others read certifi's authorities by name. It knows no more than what the environment says, and changes nothing
else.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  pathlib would be loaded into every program


def _requests(module: Any) -> None:
    module.Session.trust_env = property(lambda session: True, lambda session, value: None)


def _aiohttp(module: Any) -> None:
    begin = module.ClientSession.__init__

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **{**named, "trust_env": True})

    module.ClientSession.__init__ = __init__


def _certifi(module: Any) -> None:
    module.where = lambda: os.environ["SSL_CERT_FILE"]


_CHANGES: dict[str, Callable[[Any], None]] = {
    "requests.sessions": _requests,
    "aiohttp.client": _aiohttp,
    "certifi.core": _certifi,
}


class _Finder:
    """Finds the modules that are changed where others find them, and changes them once they are loaded."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of one of those modules."""
        change = _CHANGES.get(name)
        if change is None:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                loader: Any = spec.loader
                load = loader.exec_module

                def exec_module(module: ModuleType, load: Callable[[ModuleType], None] = load) -> None:
                    load(module)
                    change(module)

                loader.exec_module = exec_module
                return spec
        return None


def _next_one() -> None:
    """Run the sitecustomize that this one stands before, if there is one."""
    rest = [place for place in sys.path if os.path.abspath(place or ".") != _HERE]  # noqa: PTH100
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if os.environ.get("SSL_CERT_FILE") and os.environ.get("HTTPS_PROXY"):
    sys.meta_path.insert(0, _Finder())
_next_one()
