"""What `simulate random-features` and `simulate small-step` share: the flag `--features`."""

from __future__ import annotations

from collections.abc import Callable

import click

from hermite_analytics.cli.values import F

__all__ = ["features_option"]


def features_option() -> Callable[[F], F]:
    """--features network|equivalent|tangent."""
    return click.option(
        "--features",
        type=click.Choice(["network", "equivalent", "tangent"]),
        default="network",
        show_default=True,
        help="Of the network, of its Gaussian equivalent, or of the tangent kernel.",
    )
