"""The commands that serve a task's world to other programs."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from contextlib import ExitStack, nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

import click

from caia_replay.cli.group import ARMS, CAMPAIGN, CONFIDENCE, DEFENCE, DOSE, SUITE, TASKS
from caia_replay.cli.played import tell_done, typed, what_is_kept
from caia_replay.errors import BadInput, Interrupted

PORT = click.option(
    "--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="0 lets the system choose one."
)


@click.group()
def serve() -> None:
    """Serve a task's frozen world to other programs, on loopback."""


@serve.command(name="gateway")
@click.option(
    "--task",
    "task_id",
    required=True,
    metavar="ID",
    help="The task whose world is served; caia-replay verify lists ids.",
)
@click.option("--suite", help="Needed only when two suites have a task of this name.")
@click.option("--arm", default="clean", show_default=True, help="clean, attacked or placebo: whether a campaign lies.")
@CAMPAIGN
@DOSE
@PORT
def serve_gateway(task_id: str, suite: str | None, arm: str, campaign: str, dose: str, port: int) -> None:
    """Serve a task's world over plain HTTP until Ctrl-C: recorded APIs below /<host>/, the fork at /rpc.

    What is not recorded gets status 501 (docs/gateway.md).
    """
    from caia_replay.interop.gateway import Gateway
    from caia_replay.loopback import LoopbackServer
    from caia_replay.runner.campaign import overlays_for
    from caia_replay.runner.episode import asked, require_arm
    from caia_replay.store.world_folder import find_task, open_world
    from caia_replay.world.world import FrozenWorld

    require_arm(arm)
    if arm in ("labelled", "authority-only"):
        what = f"in the arm {arm} tools are labelled or left out, and the gateway has none"
        raise BadInput(what, where="--arm", next_command="--arm attacked")
    folder = open_world(suite) if suite else find_task(task_id)
    with FrozenWorld(folder) as world:
        task = folder.task(task_id)
        overlay = overlays_for(world, (arm,), campaign, dose)[arm]
        gateway = Gateway(world.task(task, overlay), asked(task))
        try:
            with LoopbackServer(gateway, port) as server:
                print(f"{task_id} is served at {server.url}", flush=True)
                print(f"  the question   {server.url}/", flush=True)
                print(f"  recorded APIs  {server.url}/<host>/<path>", flush=True)
                print(f"  JSON-RPC       {server.url}/rpc", flush=True)
                print("Ctrl-C ends it", flush=True)
                threading.Event().wait()
        except KeyboardInterrupt:
            pass
    counts = ", ".join(f"{kind} {count}" for kind, count in sorted(gateway.served.items())) or "nothing was asked"
    print(f"served: {counts}")
    for miss in gateway.misses:
        near = f"; nearest: {miss.nearest}" if miss.nearest else ""
        print(f"missed: {miss.wanted} ({miss.where}){near}")


@serve.command(name="tools")
@SUITE
@TASKS
@ARMS
@CAMPAIGN
@DOSE
@DEFENCE
@CONFIDENCE
@click.option("--runs", default=1, show_default=True, type=int, help="Runs of each task in each arm.")
@click.option("--name", default="agent", show_default=True, help="What the agent is called: the model external/NAME.")
@click.option("--max-calls", type=int, help="At most this many tool calls in a run; 20 more get an error.")
@click.option(
    "--idle",
    default=600.0,
    show_default=True,
    type=click.FloatRange(0.1, 86_400),
    help="Seconds in which an agent may ask nothing; then its run is over.",
)
@click.option(
    "--mcp",
    type=click.Choice(["http", "stdio"]),
    help="http: insist on MCP at /mcp, which is there where the extra mcp is installed. stdio: speak MCP over stdin "
    "and stdout and nothing else; each session plays the next run.",
)
@PORT
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="A new run folder. Default: runs/external-<name>. A finished run there is refused.",
)
@click.option("--resume", is_flag=True, help="Continue the unfinished run in --out.")
def serve_tools(
    suite: str,
    tasks: tuple[str, ...],
    arm: tuple[str, ...],
    campaign: str,
    dose: str,
    defence: str,
    confidence: bool,
    runs: int,
    name: str,
    max_calls: int | None,
    idle: float,
    mcp: str | None,
    port: int,
    out: Path | None,
    resume: bool,
) -> None:
    """Let an agent of any kind play: each run's question and tools over HTTP or MCP, and a run folder at the end.

    Ends when every run has been played (docs/serve-tools.md).
    """
    from caia_replay.agents.external import EXTERNAL_AGENT
    from caia_replay.cassette.egress import egress_guard
    from caia_replay.loopback import LoopbackServer
    from caia_replay.models.external import external_name
    from caia_replay.report.live_line import live_line
    from caia_replay.runner.desk import Desk
    from caia_replay.runner.plan import make_plan
    from caia_replay.runner.replay import replay
    from caia_replay.store.world_folder import open_world

    folder, model, door = open_world(suite), external_name(name), _mcp_door(mcp)
    if mcp == "stdio":
        _outlive_client()
    plan = make_plan(
        folder,
        tasks=tasks,
        arms=arm,
        model=model,
        agent=EXTERNAL_AGENT,
        runs=runs,
        campaign=campaign,
        calls=max_calls,
        dose=dose,
        defence=defence,
        confidence=confidence,
    )
    if port:
        LoopbackServer(_nobody, port).close()  # refused before anything is written
    target = out or Path("runs") / model.replace("/", "-")
    again = typed() if resume else f"{typed()} --resume"
    resume |= mcp == "stdio" and Path(f"{target}.partial").exists()
    with (
        what_is_kept(target, plan.size, again),
        live_line(plan, lines=True) as (watch, _),
        egress_guard(frozenset()),
        ExitStack() as serving,
    ):

        def play(stage: Any, journal: Any, watch: Any) -> None:
            desk = Desk(stage, journal, watch, idle)
            told = f"{desk.left} of {plan.size} runs of {plan.suite} are to be played by {model}"
            print(told, flush=True, file=sys.stderr if mcp == "stdio" else sys.stdout)
            if mcp == "stdio":
                _over_stdio(desk, door, serving)
            else:
                _over_http(desk, door, port, serving)
            desk.play()
            if desk.left:
                kept = f"what has been played is kept in {target}.partial"
                raise Interrupted(f"{desk.left} of {plan.size} runs are left; {kept}; next: {again}")

        done = replay(plan, folder, target, workers=1, resume=resume, replace=False, watch=watch, clients=play)
    with redirect_stdout(sys.stderr) if mcp == "stdio" else nullcontext():
        tell_done(done, campaign, again)


async def _nobody(*_: Any) -> None:
    """An application that nobody asks."""


def _mcp_door(mcp: str | None) -> Any:
    """What makes a door of a desk; None where the extra is not installed and nobody insists."""
    try:
        from caia_replay.interop.mcp_door import McpDoor
    except ImportError as fault:
        if mcp is None:
            return None
        what = f"MCP is not installed: {fault}"
        raise BadInput(what, where="--mcp", next_command="pip install 'caia-replay[mcp]'") from fault
    return McpDoor


def _outlive_client() -> None:
    """Go on in a child with a session of its own: clients kill a server's processes two seconds after they close its
    stdin, and writing the runs may take longer."""
    child = os.fork()
    if child == 0:
        os.setsid()
        return
    signal.signal(signal.SIGINT, lambda *_: os.kill(child, signal.SIGINT))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def _over_http(desk: Any, door: Any, port: int, serving: ExitStack) -> None:
    from caia_replay.interop.tool_server import ToolServer
    from caia_replay.loopback import LoopbackServer

    server = serving.enter_context(LoopbackServer(ToolServer(desk, door and door(desk)), port))
    print(f"  HTTP  {server.url}/sessions; {server.url}/openapi.json says more", flush=True)
    print(f"  MCP   {server.url}/mcp" if door else "  MCP   not installed: pip install 'caia-replay[mcp]'", flush=True)
    print("the command ends when the last run has ended; Ctrl-C stops it, and --resume goes on", flush=True)


def _over_stdio(desk: Any, door: Any, serving: ExitStack) -> None:
    """One client, whose session is one run; then the desk is closed, and once the folder is whole the client is waited
    for."""

    def speak() -> None:
        try:
            asyncio.run(door(desk).stdio())
        finally:
            desk.close()

    thread = threading.Thread(target=speak, name="stdio", daemon=True)
    serving.push(lambda kind, *_: thread.join() if kind is None else None)
    thread.start()
