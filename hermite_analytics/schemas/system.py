"""Documents about campaigns and about this machine."""

from __future__ import annotations

from typing import Annotated, Literal

from hermite_analytics.foundation.shapes import Count, Keywords, Positive
from hermite_analytics.schemas.document import ABSENT, Document, Part, Versions

__all__ = ["Cache", "Doctor", "Explore", "Validation"]

Verdict = Literal["passed", "failed", "inconclusive"]


class Module(Part):
    name: str
    description: Annotated[str, Keywords(description="the first formula of the module; empty if it has none")]
    bytes: Count
    last_used: Annotated[str, Keywords(format="date-time")]


class Removed(Part):
    modules: Count
    bytes: Count


class Cache(Document):
    """`cache`."""

    folder: str
    limit: Annotated[
        Count,
        Keywords(
            description="bytes that the folder may hold before the least recently used kernels are removed"
        ),
    ]
    bytes: Annotated[Count, Keywords(description="bytes of all modules")]
    modules: Annotated[
        list[Module], Keywords(description="what is on disk now, the most recently used first")
    ]
    removed: Annotated[Removed | None, Keywords(description="what --clear removed; null with --show")]


class Package(Part):
    name: str
    version: Annotated[str | None, Keywords(description="null: not installed")]
    wanted: Annotated[str, Keywords(description="the versions that are accepted")]
    extras: Annotated[list[str], Keywords(description="empty: needed by all")]


class Threads(Part):
    cores: int | None
    usable: int | None
    numba: Count
    environment: Annotated[dict[str, str], Keywords(description="variables that set a number of threads")]


class Device(Part):
    library: str
    device: Annotated[str | None, Keywords(description="as in --device; null: none is seen")]
    name: str | None
    error: str | None


class CacheState(Part):
    folder: str
    limit: Count | None
    bytes: Count | None
    modules: Count | None
    error: str | None


class Doctor(Document):
    """`doctor`."""

    hermite_analytics: str
    python: str
    platform: str
    packages: Annotated[list[Package], Keywords(description="what this distribution asks for")]
    threads: Threads
    devices: list[Device]
    cache: CacheState
    problems: Annotated[list[str], Keywords(description="what is wrong, and what to do")]


class Explore(Document):
    """`explore`."""

    url: Annotated[str, Keywords(format="uri")]
    host: str
    port: Annotated[int, Keywords(minimum=1, maximum=65535)]
    seconds: Annotated[float, Keywords(exclusiveMinimum=0, description="time budget of an answer")]


class Look(Part):
    seeds: list[Positive]
    simulation: float | None
    stderr: float | None
    status: Verdict


class Mutant(Part):
    name: str
    theory: float | None
    status: Verdict


class Claim(Part):
    id: str
    statement: str
    source: str
    observable: str
    rule: Literal["limit", "success-rate", "median", "slope", "direction"]
    status: Verdict
    relation: Literal["equal", "at_least", "at_most"]
    theory: float | None
    simulation: float | None
    stderr: float | None
    margin: float | None
    interval: Annotated[list[float | None], Keywords(minItems=2, maxItems=2)]
    numerical_error: float | None
    df: float | None
    chi2: float | None
    inflation: float | None
    curvature: float | None
    q: list[float]
    sizes: list[Positive]
    seeds: list[Count]
    looks: list[Look]
    p_pass: float | None
    p_fail: float | None
    holm_p: float | None
    holm_p_fail: float | None
    power: float | None
    discriminating: bool | None
    mutants: list[Mutant]


class Validation(Document):
    """`validate`, and results.json, whose environment says more."""

    versions: Versions = ABSENT
    suite: str
    claims: list[Claim]
    passed: Count
    failed: Count
    inconclusive: Count
    report: str
    seconds: float | None
    complete: bool
    stopped: dict[str, str] = ABSENT
    environment: dict[str, str]
