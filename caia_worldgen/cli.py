"""``caia-replay world``: the commands that make synthetic worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from caia_replay.errors import Interrupted


@click.group()
def world() -> None:
    """Make worlds to replay in."""


@world.command(name="build")
@click.option("--seed", required=True, type=click.IntRange(min=0), help="Equal seeds give equal bytes.")
@click.option(
    "--size",
    default="small",
    show_default=True,
    type=click.Choice(["small", "quarter", "half", "full"]),
    help="How many blocks the economy's days have; small also builds mini-6.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where cassettes/ and chain_snapshots/ go.")
def world_build(seed: int, size: str, out: Path) -> None:
    """Build a synthetic world from a seed: two chains, their APIs recorded, tasks; at size small mini-6 as well."""
    _economy(seed, size, out)
    if size == "small":
        _mini(seed, out)


def _mini(seed: int, out: Path) -> None:
    from caia_worldgen.mini.build import build_mini

    built = build_mini(out, seed)
    print(f"{built.world}: {built.tasks} tasks, {built.pages} pages")
    print(f"{built.snapshot}: {built.transactions} transactions, {built.facts} ledger facts confirmed by the chain")
    print(f"{built.size_bytes} bytes in all")


def _economy(seed: int, size: str, out: Path) -> None:
    from caia_worldgen.calendar import scale_named
    from caia_worldgen.economy_world import build_economy

    scale = scale_named(size)
    try:
        with _progress() as progress:
            built = build_economy(out, seed, scale, progress)
    except KeyboardInterrupt:
        raise Interrupted("interrupted; what is captured is kept, the same command goes on from there") from None
    for chain in built.chains:
        agreed = f"{chain.movements} movements, {chain.deeds} figures of deeds and {chain.facts} facts"
        print(
            f"{chain.snapshot}: {scale.days} days, {chain.blocks} blocks, {chain.transactions} transactions, "
            f"{chain.size_bytes} bytes; ledger and chain agree on {agreed}"
        )
    facts = ", ".join(f"{kind} {count}" for kind, count in built.audit.facts.items())
    print(
        f"{built.world}: {built.tasks} tasks, {built.requests} requests recorded, {built.size_bytes} bytes; "
        f"two tools agree on {built.audit.total} facts ({facts})"
    )
    stated = ", ".join(f"{kind} {count}" for kind, count in built.page_audit.facts.items())
    print(
        f"its web: {built.web.pages} pages ({built.web.copies} meant as copies, {float(built.web.alike):.2%} alike "
        f"otherwise), {built.web.posts} posts; pages and tools agree on {built.page_audit.total} facts ({stated})"
    )
    if built.carried_out is not None:
        print(f"{built.carried_out}: the tasks that are carried out, over the recordings of {built.world.name}")


@world.command(name="questions")
@click.option("--suite", required=True, help="The synthetic economy whose recordings answer them.")
@click.option("--seed", required=True, type=click.IntRange(min=0), help="Equal seeds give equal bytes.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A new folder beside that world's.")
def world_questions(suite: str, seed: int, out: Path) -> None:
    """Draw a suite of 178 composed questions over a world that is recorded already; nothing new is recorded."""
    from caia_worldgen.questions.suite import build_questions

    with _progress() as progress:
        built = build_questions(suite, seed, out, progress)
    for reason, count in sorted(built.rejected.items(), key=lambda one: (-one[1], one[0])):
        print(f"{count} draws rejected: the question {reason}")
    print(f"{built.path}: {built.tasks} tasks; each gold chain, executed, says what the ledger says")
    print(f"next: caia-replay world suite-figures {built.path}, or caia-replay verify --suite {built.path}")


@world.command(name="suite-figures")
@click.argument("suite")
def world_suite_figures(suite: str) -> None:
    """Print the figures of a suite of composed questions, each beside its limit; exit 1 where one is not kept."""
    from caia_replay.errors import CheckFailed
    from caia_replay.store.world_folder import open_world
    from caia_worldgen.questions.figure import figures

    found = list(figures(open_world(suite)))
    wide = max(len(one.name) for one in found)
    for one in found:
        print(f"{one.name:<{wide}}  {one.value:>12}  {one.limit:<14}{'' if one.holds else ' NOT KEPT'}".rstrip())
    if missed := [one.name for one in found if not one.holds]:
        raise CheckFailed(f"{len(missed)} of {len(found)} limits are not kept, the first: {missed[0]}")


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar on stderr, on a terminal only; yields the function to call with a part, how much is done, and of what."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("")
        yield lambda part, done, whole: bar.update(task, description=part, completed=done, total=whole)
