"""``audit``, ``diff``, ``merge``, ``rescore``, ``gap``, ``why-miss``: what finished runs say, and whether it is so."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from caia_replay.errors import BadInput, CheckFailed, Interrupted, MissingKey


@click.command()
@click.argument("runs", metavar="RUN_DIR ...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The table as JSON.")
@click.option("--judge", metavar="NAME", help="Ask this model about open answers that have no recorded verdict.")
@click.option(
    "--verdicts",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file of the judge's replies: read, and with --judge added to.",
)
def rescore(runs: tuple[Path, ...], as_json: bool, judge: str | None, verdicts: Path | None) -> None:
    """Judge the answers of finished runs again, under other tolerances and with partial credit (docs/scoring.md)."""
    from caia_replay.analysis.rescore import open_judge
    from caia_replay.analysis.rescore import rescore as run
    from caia_replay.cassette.egress import egress_guard
    from caia_replay.models.resolve import endpoint_hosts, resolve_model
    from caia_replay.report.sensitivity import rescored_heading, rescored_notes, sensitivity_table
    from caia_replay.report.terminal import printed_json, tell

    if judge is not None and verdicts is None:
        raise BadInput("a judge's replies are kept in a file", where="--judge", next_command="add --verdicts FILE")
    model, hosts = None, frozenset[str]()
    if judge is not None:
        try:
            hosts, model = endpoint_hosts(judge, os.environ), resolve_model(judge, os.environ)
        except BadInput as fault:
            raise _judge_fault(fault) from None
    try:
        with egress_guard(hosts):
            done = run(runs, Path.cwd(), open_judge(verdicts, model) if verdicts is not None else None)
    except KeyboardInterrupt:
        kept = f"; the replies so far are kept in {verdicts}; next: the same command again" if judge else ""
        raise Interrupted(f"interrupted{kept}") from None
    finally:
        if model is not None:
            model.close()
    if as_json:
        print(printed_json(done.plain()))
        return
    tell(*rescored_heading(done), sensitivity_table(done.cells), *rescored_notes(done))


def _judge_fault(fault: BadInput) -> BadInput:
    """What is said of a model that is to play, said of a judge: no policy will do in its place."""
    if fault.where != "MODEL":
        return fault
    next_command = fault.next_command
    if isinstance(fault, MissingKey):
        next_command = "set it, or leave --judge out"
    elif not next_command or "MODEL=" in next_command:
        next_command = "--judge NAME, the name of a live model"
    return type(fault)(fault.what, where="--judge", nearest=fault.nearest, next_command=next_command)


@click.command()
@click.argument("runs", metavar="RUN_DIR ...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A new run folder.")
def merge(runs: tuple[Path, ...], out: Path) -> None:
    """Put the run folders of shards together into the one that a single machine would have left.

    Folders of some shards make a run of their tasks, which may be merged again. Exit 3 where runs of a part are to
    be played again: resume that part first (docs/models.md).
    """
    from rich.console import Console

    from caia_replay.analysis.merge import merge as run
    from caia_replay.report.attack_table import arm_lines
    from caia_replay.report.table import heading, summary_table, unscored_lines
    from caia_replay.report.terminal import WIDEST, count, tell
    from caia_replay.runner.arm_effect import ARMS_FILE
    from caia_replay.store.run_folder import read_json

    done = run(runs, out, Path.cwd())
    print("\n".join(heading(done.summaries)))
    Console(width=None if sys.stdout.isatty() else WIDEST).print("", summary_table(done.summaries), "", sep="\n")
    tell(*arm_lines(read_json(out / ARMS_FILE)), *unscored_lines(done.summaries, done.causes))
    if done.missing:
        tell(f"not here: shard {', '.join(done.missing)}")
    tell(f"run folder: {out}")
    if done.broken:
        told = ", ".join(f"{count(number, 'run')} in {part}" for part, number in done.broken.items())
        raise Interrupted(f"to be played again: {told}; next: that replay with --resume, then the merge to a new --out")


@click.command()
@click.argument("runs", metavar="RUN_DIR ...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Worker processes. Default: one for each core, where there are runs enough.",
)
def audit(runs: tuple[Path, ...], workers: int | None) -> None:
    """Execute every tool call of finished runs again and compare all that follows (docs/audit.md).

    Prints proven (exit 0), or the first difference (exit 1). What the model said is taken on trust.
    """
    from caia_replay.analysis.audit import audit as prove
    from caia_replay.analysis.finished_run import open_run
    from caia_replay.cassette.egress import egress_guard
    from caia_replay.models.external import EXTERNAL
    from caia_replay.models.human import HUMAN
    from caia_replay.report.terminal import progress_bar, tell

    external = person = False
    for run in runs:
        finished = open_run(run, Path.cwd())
        external |= finished.plan.model.startswith(EXTERNAL)
        person |= finished.plan.model.startswith(HUMAN)
        with progress_bar(finished.plan.size) as step, egress_guard(frozenset()):
            found = prove(finished, workers, step)
        if found:
            tell(found if len(runs) == 1 else f"{run}: {found}")
            raise CheckFailed("")
    tell("proven")
    if external:
        tell("of an external agent: that its calls lead to these replies, and its answers to these verdicts")
        tell("not proven: who made the calls and the answers, and with which model")
    if person:
        tell("of a person: that their calls lead to these replies, and their answers to these verdicts")
        tell("not proven: who sat at the page, and what else they used")


@click.command()
@click.argument("original", metavar="ORIGINAL_RUN", type=click.Path(path_type=Path))
@click.argument("twin", metavar="TWIN_RUN", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The table as JSON.")
def gap(original: Path, twin: Path, as_json: bool) -> None:
    """Compare a model's accuracy on a suite and on its twin, the same suite built from another seed.

    Prints original minus twin, in percentage points: the contamination gap. Both worlds must be here as they
    were played (docs/twins.md).
    """
    from caia_replay.analysis.twin_gap import suite_gap
    from caia_replay.report.gap_table import gap_heading, gap_notes, gap_plain, gap_table
    from caia_replay.report.terminal import printed_json, tell

    found = suite_gap(original, twin, Path.cwd())
    if as_json:
        print(printed_json(gap_plain(found)))
        return
    tell(*gap_heading(found), gap_table(found), *gap_notes(found))


@click.command(name="why-miss")
@click.argument("run_dir", type=click.Path(path_type=Path))
def why_miss(run_dir: Path) -> None:
    """Explain each miss, a tool call that no recording could answer: the nearest recordings and what differs.

    The run's world is looked for where the run found it, then by the suite's name.
    """
    from caia_replay.analysis.why_miss import why_miss as explain
    from caia_replay.report.terminal import tell

    for line in explain(run_dir, Path.cwd()):
        tell(line)


@click.command()
@click.option(
    "--agents",
    is_flag=True,
    help="Compare two agents task by task, where all else is the same. Exit 1 unless identical.",
)
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path))
def diff(agents: bool, run_a: Path, run_b: Path) -> None:
    """Compare two run folders: identical (exit 0), or the first difference (exit 1).

    What depends on the clock or machine (run.json) and a tape's name are not compared. Of agents that differ: right
    answers, turns, calls and tokens of each task, and an exact p-value (docs/scoring.md).
    """
    if agents:
        _diff_agents(run_a, run_b)
        return
    from caia_replay.analysis.diff import first_difference
    from caia_replay.report.terminal import tell

    found = first_difference(run_a, run_b, Path.cwd())
    tell(found or "identical")
    if found:
        raise CheckFailed("")


def _diff_agents(run_a: Path, run_b: Path) -> None:
    from caia_replay.analysis.diff import diff_agents
    from caia_replay.report.agent_table import agent_line, agent_table, verdict_line
    from caia_replay.report.terminal import tell

    found = diff_agents(run_a, run_b, Path.cwd())
    for cell in found:
        tell(agent_table(cell), agent_line(cell))
    verdict = verdict_line(found)
    tell(verdict)
    if verdict != "identical":
        raise CheckFailed("")
