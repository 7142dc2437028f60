"""`hermite-analytics design --information-exponent 3 --generative-exponent 1`."""

from __future__ import annotations

import click

from hermite_analytics.cli.output import json_option, print_json
from hermite_analytics.cli.values import SECONDS
from hermite_analytics.errors import InputError

__all__ = ["command"]


@click.command("design")
@click.option("--information-exponent", type=int, help="First k >= 1 with C_k != 0.")
@click.option("--generative-exponent", type=int, help="After the best transformation of the label.")
@click.option("--leap-complexity", type=int, help="In the given basis.")
@click.option("--isotropic-leap", type=int, help="Over all rotations.")
@click.option("--dimension", type=int, help="Directions that the target depends on.")
@click.option("--staircase", metavar="DIMS", help="Dimensions of the subspaces, such as 0,1,3.")
@click.option("--leap-orders", metavar="ORDERS", help="Orders of the leap decomposition, such as 1,2.")
@click.option(
    "--grand-staircase", metavar="DIMS", help="Dimensions, any transformation of the label allowed."
)
@click.option("--grand-orders", metavar="ORDERS", help="Orders of the grand staircase.")
@click.option("--alpha-c", metavar="A | LOW,HIGH", help="Threshold of the first stage: a number, or from,to.")
@click.option("--tolerance", default="1e-6", show_default=True, help="Of an alpha_c that is one number.")
@click.option("--discrete/--not-discrete", default=None, help="Finitely many labels.")
@click.option("--polynomial/--not-polynomial", default=None, help="A polynomial.")
@click.option("--activation", help="Giant steps with this activation learn all directions.")
@click.option("--steps", type=int, default=4, show_default=True, help="How many giant steps.")
@click.option("--samples-power", default="1", show_default=True, help="k of n ~ d^k in each of them.")
@click.option("--count", type=int, default=1, show_default=True, help="How many targets.")
@click.option("--seconds", type=SECONDS, default=30.0, show_default=True, help="Time allowed.")
@json_option
def command(
    information_exponent: int | None,
    generative_exponent: int | None,
    leap_complexity: int | None,
    isotropic_leap: int | None,
    dimension: int | None,
    staircase: str | None,
    leap_orders: str | None,
    grand_staircase: str | None,
    grand_orders: str | None,
    alpha_c: str | None,
    tolerance: str,
    discrete: bool | None,
    polynomial: bool | None,
    activation: str | None,
    steps: int,
    samples_power: str,
    count: int,
    seconds: float,
    as_json: bool,
) -> int:
    """Find the smallest targets that have all properties asked for, each exact or proved.

    Requests that contradict a theorem are refused with the reason. Exit status 1 if there are fewer targets
    than asked for.
    """
    from hermite_analytics.designs import design

    found = design(
        information_exponent=information_exponent,
        generative_exponent=generative_exponent,
        leap_complexity=leap_complexity,
        isotropic_leap=isotropic_leap,
        dimension=dimension,
        staircase=_numbers(staircase, "--staircase"),
        leap_orders=_numbers(leap_orders, "--leap-orders"),
        grand_staircase=_numbers(grand_staircase, "--grand-staircase"),
        grand_orders=_numbers(grand_orders, "--grand-orders"),
        alpha_c=alpha_c if alpha_c is None or "," not in alpha_c else alpha_c.split(","),
        tolerance=tolerance,
        discrete=discrete,
        polynomial=polynomial,
        activation=activation,
        steps=steps,
        samples_power=samples_power,
        count=count,
        seconds=seconds,
    )
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(str(found))
    return int(len(found) < count)


def _numbers(text: str | None, flag: str) -> list[int] | None:
    """Whole numbers between commas."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{flag} is {text[:40]!r}; whole numbers between commas are accepted") from None
