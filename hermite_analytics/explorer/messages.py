"""What a worker and the server say to each other: questions, parts of answers, answers and refusals."""

from __future__ import annotations

import enum
import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from hermite_analytics.errors import HermiteAnalyticsError, ParseError
from hermite_analytics.explorer.documents import encoded, error_document

__all__ = ["WARM_UP", "Answer", "Given", "Kind", "Refusal", "Reply", "Turn", "answered", "topic_of"]

WARM_UP = "warm up"
"""The question that asks a worker to load and compile the next thing that it may need."""

_LOG = logging.getLogger(__name__)
_RETIRES_ABOVE = 2**30  # bytes in use after an answer


class Kind(enum.StrEnum):
    """What a message of a worker is."""

    READY = "ready"
    LOADING = "loading"  # what the answer needs is loaded and compiled first; the next message is READY
    KNOWN = "known"  # a part of an answer that is being computed
    DONE = "done"
    REFUSED = "refused"  # the question is at fault
    FAILED = "failed"  # the library is


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A message of a worker.

    Attributes
    ----------
    kind : Kind
    body : bytes
        JSON.
    retires : bool
        Whether the process holds so much memory that it should be replaced.
    """

    kind: Kind
    body: bytes
    retires: bool = False

    def packed(self) -> bytes:
        """For the pipe.

        Examples
        --------
        >>> Reply.unpacked(Reply(kind=Kind.DONE, body=b"{}").packed())
        Reply(kind=<Kind.DONE: 'done'>, body=b'{}', retires=False)
        """
        return f"{self.kind} {int(self.retires)} ".encode() + self.body

    @classmethod
    def unpacked(cls, message: bytes) -> Reply:
        """From the pipe."""
        kind, retires, body = message.split(b" ", 2)
        return cls(kind=Kind(kind.decode()), body=body, retires=retires == b"1")


class Refusal(Exception):
    """An error of the library about one parameter of a question."""

    def __init__(self, field: str, error: HermiteAnalyticsError) -> None:
        super().__init__(field, error)
        self.field = field
        self.error = error


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What an answer may use.

    Attributes
    ----------
    seconds : float
        The time budget.
    report : callable
        Takes a document of what is known so far; it is what remains if the time ends.
    """

    seconds: float
    report: Callable[[Mapping[str, object]], None]


Given: TypeAlias = Mapping[str, str | float]  # the values of parameters: numbers, and texts
Answer = Callable[[Given, Turn], Mapping[str, object]]


def answered(answer: Answer, parameters: Given, turn: Turn) -> Reply:
    """The reply to a question, whatever happens; only the end of the process is not caught."""
    try:
        body, kind = encoded(answer(parameters, turn)), Kind.DONE
    except Refusal as refusal:
        body, kind = encoded(_refused(refusal.error, refusal.field)), Kind.REFUSED
    except HermiteAnalyticsError as error:
        body, kind = encoded(_refused(error, None)), Kind.REFUSED
    except MemoryError:
        body, kind = encoded(error_document("the answer needs too much memory", kind="memory")), Kind.FAILED
    except BrokenPipeError:
        raise
    except Exception as error:
        _LOG.exception("no answer for %s", str(parameters)[:500])
        text = f"the library failed with {type(error).__name__}; this is a fault of it and not of the input"
        body, kind = encoded(error_document(text, kind="internal")), Kind.FAILED
    return Reply(kind=kind, body=body, retires=_memory_in_use() > _RETIRES_ABOVE)


def topic_of(parameters: Mapping[str, object]) -> str:
    """What a worker remembers of a question: of another with the same texts it holds much of the answer.

    Examples
    --------
    >>> topic_of({"target": "z1", "points": 2})
    '[null, "z1"]'
    """
    return json.dumps([parameters.get("activation"), parameters.get("target")])


def _refused(error: HermiteAnalyticsError, field: str | None) -> dict[str, object]:
    kind = type(error).__name__
    if isinstance(error, ParseError):
        line = " ".join(error.message.split())
        return error_document(line, kind=kind, field=field, position=error.position)
    return error_document(" ".join(str(error).split()), kind=kind, field=field)


def _memory_in_use() -> int:
    """Bytes, or 0 where that is not known."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
