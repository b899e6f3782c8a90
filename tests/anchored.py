"""Tasks of an economy by where they stand, for tests that need a moment and not a question."""

from __future__ import annotations

from caia_replay.core.task import Task
from caia_replay.store.world_folder import WorldFolder


def anchored(folder: WorldFolder, share: int, chain: int = 0) -> Task:
    """The task that stands nearest to so many hundredths of its chain's last task; ``chain`` 0 is the main chain, 1 the
    roll-up. Of several the first in suite order."""
    tasks = [task for task in map(folder.task, folder.suite.active()) if task.anchor.chain == folder.info.chains[chain]]
    last = max(task.anchor.block for task in tasks)
    return min(tasks, key=lambda task: abs(task.anchor.block - last * share // 100))
