"""Run by the interpreter of an environment with Harbor: what its own models and lint make of task folders.

``harbor_models.py TASKS``: prints by folder the verifier's mode and where it is built from, the services that artifacts
and hooks come from, and every finding of its lint but those on Compose, which needs Docker's own program.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def read(folder: Path) -> dict[str, Any]:
    """One task folder. Raises what Harbor raises."""
    from harbor.lint.models import COMPOSE_RULES, LintRule
    from harbor.lint.task import lint_task
    from harbor.models.task.task import Task
    from harbor.models.task.verifier_mode import resolve_task_verifier_mode, resolve_verifier_environment_definition

    task = Task(folder)
    verifier = resolve_verifier_environment_definition(task.config, task.paths)
    assert Task.is_valid_dir(folder) and verifier is not None
    found = lint_task(folder, selected_rules=set(LintRule) - set(COMPOSE_RULES))
    return {
        "name": task.name,
        "instruction": task.instruction,
        "verifier": [resolve_task_verifier_mode(task.config).value, verifier.directory.name, verifier.bundled_tests],
        "services": [task.config.artifacts[0].service, *(hook.service for hook in task.config.verifier.collect)],
        "solution": task.paths.discovered_solve_path_for(task.config.environment.os) is not None,
        "lint": sorted({f"{Path(one.path).name}: {one.rule.value}" for one in found}),
    }


if __name__ == "__main__":
    print(json.dumps({path.name: read(path) for path in sorted(Path(sys.argv[1]).iterdir())}))
