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
@click.option(
    "--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="0 lets the system choose one."
)
def serve_gateway(task_id: str, suite: str | None, port: int) -> None:
    """Serve a task's world over plain HTTP until Ctrl-C: recorded APIs below /<host>/, the fork at /rpc."""
    import threading

    from caia_replay.interop.gateway import Gateway
    from caia_replay.loopback import LoopbackServer
    from caia_replay.store.world_folder import find_task, open_world
    from caia_replay.world.world import FrozenWorld

    folder = open_world(suite) if suite else find_task(task_id)
    with FrozenWorld(folder) as world:
        gateway = Gateway(world.task(folder.task(task_id)))
        try:
            with LoopbackServer(gateway, port) as server:
                print(f"{task_id} is served at {server.url}", flush=True)
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
