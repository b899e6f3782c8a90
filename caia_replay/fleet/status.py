"""How far an entry is, read from its journal or its run folder while others write there."""

from __future__ import annotations

from collections.abc import Iterator

from caia_replay.core.model import Usage
from caia_replay.errors import BadInput
from caia_replay.fleet.matrix import Entry
from caia_replay.runner.run_end import RunEnd, run_end
from caia_replay.store.ledger import dollars
from caia_replay.store.results import read_table
from caia_replay.store.run_folder import Journal, is_run


def run_ends(entry: Entry) -> Iterator[RunEnd]:
    """What was told of every run that is there, as it ended; what is moved meanwhile is left out."""
    journal, price = Journal(entry.out), entry.model.price
    for task, cell, attempt in entry.plan.episodes():
        if journal.has(cell.folder, task, attempt):
            try:
                yield run_end(journal.load(cell.folder, task, attempt), cell.folder, price)
            except BadInput:
                continue
    if journal.path.exists() or not is_run(entry.out):
        return
    wanted = {(cell.folder, task, attempt) for task, cell, attempt in entry.plan.episodes()}
    for cell in entry.plan.cells:
        path = entry.out / cell.folder / "results.parquet"
        for row in read_table(path) if path.is_file() else ():
            if (cell.folder, row["task"], row["attempt"]) in wanted:
                usage = Usage(row["prompt_tokens"], row["completion_tokens"], cached_tokens=row["cached_tokens"])
                usd = None if price is None else dollars(price.cost_usd(usage))
                tokens, fooled = usage.prompt_tokens + usage.completion_tokens, row["adopted"]
                facts = {
                    "cell": cell.folder,
                    "is_attacked": bool(row["planted"] or row["planted_url"]),
                    "fooled": fooled,
                }
                yield RunEnd(row["task"], row["correct"], tokens, usd, **facts)
