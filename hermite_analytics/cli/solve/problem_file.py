"""`solve ... --problem FILE.toml`: the flags of a model from a file, for all models in one place.

The file is a table whose keys are the names of the flags, with dashes or underscores; comma lists may be
arrays, and `model` may name the model. The file's flags stand before those of the command line, which
override them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models import shared
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import ModelRecord

__all__ = ["FLAG", "flags_of", "model_of", "named_file", "read_problem"]

FLAG = "--problem"
_LARGEST = 2**63 - 1  # of TOML's integers


def read_problem(path: str) -> dict[str, object]:
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
        raise InputError(f"{FLAG} {path}: {(error.strerror or 'cannot be read').lower()}") from None
    except RecursionError:
        raise InputError(f"{FLAG} {path} is not a TOML file: too many brackets inside each other") from None
    except ValueError as error:  # also no UTF-8, and thousands of digits
        fault = " ".join(str(error).split())
        raise InputError(f"{FLAG} {path} is not a TOML file: {fault[:100]}") from None


def flags_of(path: str, record: ModelRecord) -> list[str]:
    """The arguments that a problem file stands for, in its order.

    Parameters
    ----------
    path : str
    record : ModelRecord
        Of the model to be solved; a `model` in the file has to be the same.

    Raises
    ------
    InputError
        A key that is no flag of the model, a value of another type, another model.
    """
    accepted = {parameter.name: parameter for parameter in shared.flags_of(record)}
    flags: dict[str, list[str]] = {}
    for key, value in read_problem(path).items():
        name = key.replace("-", "_")
        if name == "model":
            _check_model(path, value, record.name)
        elif name not in accepted:
            shown = ", ".join(sorted(n.replace("_", "-") for n in accepted))
            raise InputError(f"{FLAG} {path}: unknown key {key[:40]!r}; {record.name} takes {shown}")
        elif name in flags:
            raise InputError(f"{FLAG} {path}: {key[:40]!r} is given twice")
        else:
            flags[name] = _flag(path, key, value, accepted[name])
    return [flag for group in flags.values() for flag in group]


def _flag(path: str, key: str, value: object, parameter: Parameter) -> list[str]:
    if parameter.kind is Kind.FLAG:
        if isinstance(value, bool):
            return [parameter.flag] if value else []
        raise _wrong_type(path, key, value, "true or false")
    entries = ",".join(e if isinstance(e, str) else repr(e) for e in _entries(path, key, value, parameter))
    return [f"{parameter.flag}={entries}"]


def _entries(path: str, key: str, value: object, parameter: Parameter) -> list[object]:
    """What a flag takes: one text or number, or a list of them."""
    # a list in a text of its own, such as --letters, has a metavar that shows its form
    texts = parameter.kind is Kind.TEXTS
    several = texts or parameter.kind in (Kind.NUMBERS, Kind.LIST) or parameter.metavar is not None
    number = not texts and (several or parameter.kind in (Kind.INTEGER, Kind.NUMBER, Kind.CHOICE))
    kinds = (str, int, float) if number else (str,)
    entries = value if several and isinstance(value, list) and value else [value]
    if not all(_is_one_of(entry, kinds) for entry in entries):
        raise _wrong_type(path, key, value, _ACCEPTED[number, several])
    if any(isinstance(entry, int) and abs(entry) > _LARGEST for entry in entries):
        raise InputError(f"{FLAG} {path}: {key} is an integer of more than 64 bits; write it as a decimal")
    return entries


_ACCEPTED = {  # (whether numbers are taken, whether lists are)
    (False, False): "a text",
    (False, True): "a text, or a list of them",
    (True, False): "a number or a text",
    (True, True): "a number or a text, or a list of them",
}


def _is_one_of(entry: object, kinds: tuple[type, ...]) -> bool:
    return isinstance(entry, kinds) and not isinstance(entry, bool)


def _wrong_type(path: str, key: str, value: object, accepted: str) -> InputError:
    shown = " ".join(str(value).split())[:40]
    return InputError(f"{FLAG} {path}: {key} is {shown} ({_kind(value)}); accepted: {accepted}")


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return "a table" if isinstance(value, Mapping) else "a date or a time"


def named_file(args: Sequence[str]) -> str | None:
    """The file after --problem, before any parsing: the model may not be known yet."""
    found = None
    for place, argument in enumerate(args):
        if argument.startswith(f"{FLAG}="):
            found = argument.removeprefix(f"{FLAG}=")
        elif argument == FLAG and place + 1 < len(args):
            found = args[place + 1]
    return found


def model_of(path: str, models: Sequence[str]) -> str:
    """The model that a file names."""
    model = read_problem(path).get("model")
    if isinstance(model, str) and model in models:
        return model
    shown = "names no model" if model is None else f"names the model {str(model)[:40]!r}"
    raise InputError(f"{FLAG} {path} {shown}; accepted: {', '.join(models)}")


def _check_model(path: str, value: object, model: str) -> None:
    if value != model:
        raise InputError(f"{FLAG} {path}: model is {str(value)[:40]!r}, and {model} was asked for")
