"""The commands that hand recordings around: ``publish``, ``record --rehydrate`` and the report of a pool's depth."""

from __future__ import annotations

from pathlib import Path

import click

from caia_replay.errors import BadInput, CheckFailed, one_line


@click.command()
@click.argument("suite")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write; a new one.")
@click.option("--chains", is_flag=True, help="Copy the chain snapshots too: facts, that nobody owns.")
@click.option("--keep-questions", is_flag=True, help="The questions are mine to give. CAIA's never are.")
def publish(suite: str, out: Path, chains: bool, keep_questions: bool) -> None:
    """Write what may be told of a recorded suite: its requests and the digests of the answers, without any body."""
    import os

    from caia_replay.recording.api_key import Keys
    from caia_replay.recording.publish import publish as run
    from caia_replay.store.world_folder import open_world

    done = run(open_world(suite), out, keep_questions=keep_questions, chains=chains, secrets=Keys(os.environ).values)
    for line in done.lines:
        print(one_line(line))


def rehydrate_suite(published: Path, out: Path | None, questions: Path | None, pause_s: float) -> None:
    """``record --rehydrate``: ask the origin for everything that was published, and name what changed."""
    import os

    from caia_replay.interop.caia_questions import questions_of
    from caia_replay.recording.api_key import Keys
    from caia_replay.recording.ask_again import Asking
    from caia_replay.recording.rehydrate import rehydrate

    if out is None:
        raise BadInput("nothing says where the world is to be written", next_command="add --out cassettes/NAME")
    words = questions_of(questions) if questions is not None else None
    asking = Asking(dress=Keys(os.environ).dress, pause_s=pause_s)
    done = rehydrate(published, out, questions=words, asking=asking, say=lambda line: print(one_line(line), flush=True))
    for line in done.lines:
        print(one_line(line))
    if not done.identical:
        raise CheckFailed("")


@click.command()
@click.argument("suite")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def pool(suite: str, as_json: bool) -> None:
    """Tell how well the recordings of other agents serve one that is left out, by how many of them are pooled."""
    from caia_replay.canonical import pretty_bytes
    from caia_replay.recording.pool_depth import pool_depths, totals
    from caia_replay.store.world_folder import open_world

    depths = list(pool_depths(open_world(suite)))
    if not depths:
        raise BadInput(
            f"no task of {suite} was recorded with two agents or more",
            next_command="caia-replay record --task ID --origin live --pool MODEL --pool MODEL",
        )
    rows = [*depths, *totals(depths)]
    if as_json:
        told = [
            {"task": one.task, "depth": one.depth, "draws": one.draws, "calls": one.calls, "misses": one.misses}
            for one in rows
        ]
        print(pretty_bytes(told).decode(), end="")
        return
    for one in rows:
        share = f"{one.misses} of {one.calls} calls missed, {one.rate:.1%}" if one.calls else "no calls"
        print(one_line(f"{one.task}: {one.depth} pooled: {share} ({one.draws} draws)"))
