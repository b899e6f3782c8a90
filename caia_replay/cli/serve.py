"""The commands that serve a task's world to other programs."""

from __future__ import annotations

import click


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
@click.option("--campaign", default="seo-heavy", show_default=True, help="What is planted in those arms.")
@click.option("--dose", default="", metavar="D[,D]", help="Changes every dose of the campaign, as items=3,weight=2.")
@click.option(
    "--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="0 lets the system choose one."
)
def serve_gateway(task_id: str, suite: str | None, arm: str, campaign: str, dose: str, port: int) -> None:
    """Serve a task's world over plain HTTP until Ctrl-C: recorded APIs below /<host>/, the fork at /rpc."""
    import threading

    from caia_replay.errors import BadInput
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
