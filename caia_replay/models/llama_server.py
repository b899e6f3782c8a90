"""llama.cpp's server in a process of its own: a script that needs a Python with ``xllamacpp``, and nothing of ours.

python llama_server.py where [PACKAGE]   prints what is installed as one line of JSON
python llama_server.py serve SETTINGS    serves until it is stopped; prints LISTENING and its address once it answers

SETTINGS is JSON: path, name, context, batch, slots, threads, cache. The key that clients must
show comes in ``LLAMA_KEY``.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ENGINE = "xllamacpp"
KEY = "LLAMA_KEY"
_ERRORS_ONLY = 1
_HOST = "127.0.0.1"


def where(package: str) -> dict[str, Any]:
    """The engine and its version, None where it is missing; and the one GGUF file of ``package``, None likewise."""
    engine = f"{ENGINE} {metadata.version(ENGINE)}" if find_spec(ENGINE) else None
    spec = find_spec(package) if package else None
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    found = sorted(str(path) for folder in folders for path in Path(folder).glob("*.gguf"))
    return {"engine": engine, "weights": found[0] if len(found) == 1 else None}


def serve(settings: dict[str, Any], key: str) -> None:
    """Serve one model on a port of the system's choice, for ever."""
    engine: Any = __import__(ENGINE)
    params = engine.CommonParams()
    params.model.path, params.model_alias = settings["path"], {settings["name"]}  # else replies name the path
    params.hostnames, params.port, params.api_keys = [_HOST], 0, [key]
    params.n_ctx, params.n_parallel = settings["context"] * settings["slots"], settings["slots"]
    params.n_batch = params.n_ubatch = settings["batch"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.n_gpu_layers = 0
    params.fit_params = False  # what fits this machine must not decide what is computed
    params.cache_prompt, params.cache_ram_mib = settings["cache"], 0
    params.use_jinja, params.ctx_shift, params.warmup = True, False, True
    params.offline, params.ui, params.endpoint_slots = True, False, False
    params.verbosity = _ERRORS_ONLY
    try:
        server = engine.Server(params)
    except (RuntimeError, ValueError, OSError) as fault:
        sys.exit(str(fault))
    print(f"LISTENING {server.listening_address}", flush=True)
    threading.Event().wait()


def main() -> None:
    """As the top of this file says."""
    match sys.argv[1:]:
        case ["where", *package]:
            print(json.dumps(where(*package[:1] or [""])))
        case ["serve", settings]:
            serve(json.loads(settings), os.environ.pop(KEY))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
