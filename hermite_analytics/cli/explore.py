"""`hermite-analytics explore [--port N]`."""

from __future__ import annotations

import click

from hermite_analytics.cli.output import json_option, print_json

__all__ = ["command"]


@click.command("explore")
@click.option("--port", type=click.IntRange(0, 65535), default=8642, show_default=True, help="0: a free one.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; others reach any but this."
)
@click.option(
    "--seconds", type=click.FloatRange(min=0.5, max=600), default=10.0, show_default=True,
    help="Time budget of an answer; what takes longer is ended.",
)  # fmt: skip
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; by default 2 to 4.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@json_option
def command(port: int, host: str, seconds: float, workers: int | None, opens: bool, as_json: bool) -> None:
    """Serve the explorer: a page for targets, activations and learning curves, until Ctrl-C.

    Everything stays on this computer. With --json one document with the address is printed when the page is
    there.
    """
    from hermite_analytics.explorer.server import serve

    def ready(url: str, actual_port: int) -> None:
        if as_json:
            print_json({"url": url, "host": host, "port": actual_port, "seconds": seconds})
        else:
            click.echo(f"the explorer is at {url} (Ctrl-C ends it)")
        if opens:
            click.launch(url)

    serve(host=host, port=port, seconds=seconds, workers=workers, ready=ready)
