"""`solve ... --problem FILE.toml`: the flags of a model from a file, for all models in one place.

The file is a table whose keys are the names of the flags, with dashes or underscores; comma lists may be
arrays, and `model` may name the model. The file's flags stand before those of the command line, which
override them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import click

from hermite_analytics.cli.lazy import LazyGroup
from hermite_analytics.cli.values import NUMBERS
from hermite_analytics.errors import InputError

__all__ = ["ProblemGroup", "flags_of", "read_problem"]

_FLAG = "--problem"
_NOT_A_PROBLEM = ("as_json", "problem", "help")  # how to print, not what to solve
_LARGEST = 2**63 - 1  # of TOML's integers


class ProblemGroup(LazyGroup):
    """A group of models that also take their flags, and their own name, from a file."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)
        return None if found is None else _ProblemCommand(found)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        path = _named_file(args)
        if path is not None and args[0].startswith("-"):  # no model on the command line
            args = [_model_of(path, self.list_commands(ctx)), *args]
        return super().parse_args(ctx, args)


class _ProblemCommand(click.Command):
    """A command with the option --problem."""

    def __init__(self, command: click.Command) -> None:
        option = click.Option(
            [_FLAG],
            metavar="FILE.toml",
            expose_value=False,
            help="Flags from a file; those on the command line override them.",
        )
        super().__init__(
            command.name,
            context_settings=command.context_settings,
            callback=command.callback,
            params=[*command.params, option],
            help=command.help,
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given, _, _ = self.make_parser(ctx).parse_args(list(args))
        path = given.get("problem")
        if isinstance(path, str):
            args = [*flags_of(path, str(self.name), self.params), *args]
        return super().parse_args(ctx, args)


def read_problem(path: str) -> dict[str, Any]:
    """The table of a file.

    Raises
    ------
    InputError
        If the file cannot be read, or is not TOML.
    """
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise InputError(f"{_FLAG} {path}: {(error.strerror or 'cannot be read').lower()}") from None
    except RecursionError:
        raise InputError(f"{_FLAG} {path} is not a TOML file: too many brackets inside each other") from None
    except ValueError as error:  # also no UTF-8, and thousands of digits
        fault = " ".join(str(error).split())
        raise InputError(f"{_FLAG} {path} is not a TOML file: {fault[:100]}") from None


def flags_of(path: str, model: str, params: Sequence[click.Parameter]) -> list[str]:
    """The arguments that a problem file stands for, in its order.

    Parameters
    ----------
    path : str
    model : str
        The model to be solved; a `model` in the file has to be the same.
    params : sequence of click.Parameter
        What the model takes.

    Raises
    ------
    InputError
        A key that is no flag of the model, a value of another type, another model.
    """
    options = {str(option.name): option for option in params if isinstance(option, click.Option)}
    accepted = [name for name in options if name not in _NOT_A_PROBLEM]
    flags: dict[str, list[str]] = {}
    for key, value in read_problem(path).items():
        name = key.replace("-", "_")
        if name == "model":
            _check_model(path, value, model)
        elif name not in accepted:
            shown = ", ".join(sorted(n.replace("_", "-") for n in accepted))
            raise InputError(f"{_FLAG} {path}: unknown key {key[:40]!r}; {model} takes {shown}")
        elif name in flags:
            raise InputError(f"{_FLAG} {path}: {key[:40]!r} is given twice")
        else:
            flags[name] = _flag(path, key, value, options[name])
    return [flag for group in flags.values() for flag in group]


def _flag(path: str, key: str, value: Any, option: click.Option) -> list[str]:
    name = option.opts[0]
    if option.is_flag:
        if isinstance(value, bool):
            return [name] if value else []
        raise _wrong_type(path, key, value, "true or false")
    # a list in a text of its own, such as --letters, has a metavar that shows its form
    several = option.type is NUMBERS or option.metavar is not None
    number = several or not isinstance(option.type, click.types.StringParamType)
    kinds = (str, int, float) if number else (str,)
    entries = value if several and isinstance(value, list) and value else [value]
    if any(isinstance(entry, bool) or not isinstance(entry, kinds) for entry in entries):
        what = "a number or a text" if number else "a text"
        raise _wrong_type(path, key, value, f"{what}, or a list of them" if several else what)
    if any(isinstance(entry, int) and abs(entry) > _LARGEST for entry in entries):
        raise InputError(f"{_FLAG} {path}: {key} is an integer of more than 64 bits; write it as a decimal")
    return [f"{name}={','.join(entry if isinstance(entry, str) else repr(entry) for entry in entries)}"]


def _wrong_type(path: str, key: str, value: Any, accepted: str) -> InputError:
    shown = " ".join(str(value).split())[:40]
    return InputError(f"{_FLAG} {path}: {key} is {shown} ({_kind(value)}); accepted: {accepted}")


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return "a table" if isinstance(value, Mapping) else "a date or a time"


def _named_file(args: Sequence[str]) -> str | None:
    """The file after --problem, before any parsing: the model may not be known yet."""
    found = None
    for place, argument in enumerate(args):
        if argument.startswith(f"{_FLAG}="):
            found = argument.removeprefix(f"{_FLAG}=")
        elif argument == _FLAG and place + 1 < len(args):
            found = args[place + 1]
    return found


def _model_of(path: str, models: Sequence[str]) -> str:
    model = read_problem(path).get("model")
    if isinstance(model, str) and model in models:
        return model
    shown = "names no model" if model is None else f"names the model {str(model)[:40]!r}"
    raise InputError(f"{_FLAG} {path} {shown}; accepted: {', '.join(models)}")


def _check_model(path: str, value: Any, model: str) -> None:
    if value != model:
        raise InputError(f"{_FLAG} {path}: model is {str(value)[:40]!r}, and {model} was asked for")
