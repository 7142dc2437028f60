"""Results of cells in one SQLite file: crash-safe, resumable, read by anyone while it is written.

Only the coordinator of a campaign writes. A cell is keyed by a hash of its experiment, size, seed and the
version of the code that computed it: a changed parameter or a changed simulator never meets an old result.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from hermite_analytics.errors import StoreError

__all__ = ["APPLICATION_ID", "SCHEMA_VERSION", "STORE_NAME", "CellResult", "RunRecord", "Store"]

SCHEMA_VERSION = 2
# "HerA": marks a SQLite file as ours.
APPLICATION_ID = 0x48657241
STORE_NAME = "results.sqlite"
NETWORK_FILE_SYSTEMS = (
    "nfs",
    "cifs",
    "smb",
    "9p",
    "lustre",
    "gpfs",
    "ceph",
    "glusterfs",
    "fuse.sshfs",
    "afs",
)

# What leads from each schema version to the next; a new file takes all steps.
_MIGRATIONS = (
    """
CREATE TABLE cells (
    key TEXT PRIMARY KEY, experiment TEXT NOT NULL, size INTEGER NOT NULL, seed INTEGER NOT NULL,
    code TEXT NOT NULL, result TEXT NOT NULL, seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE looks (
    claim TEXT NOT NULL, look INTEGER NOT NULL, comparison TEXT NOT NULL, PRIMARY KEY (claim, look)
) WITHOUT ROWID;
""",
    """
CREATE TABLE runs (
    number INTEGER PRIMARY KEY, started TEXT NOT NULL, seconds REAL NOT NULL, environment TEXT NOT NULL
);
""",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellResult:
    """What one seed at one size gave: numbers, lists of them, None for not finite; and its processor time."""

    seed: int
    result: Mapping[str, object]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One session that worked on the file: when it started, its wall time so far, versions and machine."""

    started: str
    seconds: float
    environment: Mapping[str, str]


class Store:
    """The results file of one folder.

    Parameters
    ----------
    path : Path
        The file; made if it does not exist. An older schema version is brought up to date.
    code : str
        Version of the code that computes the cells.
    read_only : bool
        Look on while another process writes; nothing is made or changed.

    Raises
    ------
    StoreError
        If the file is not ours, is damaged, or has a newer schema version.
    """

    def __init__(self, path: Path, *, code: str, read_only: bool = False) -> None:
        self.path = path
        self.code = code
        self._run: int | None = None
        try:
            self._connection = _connect(path, read_only=read_only)
        except sqlite3.Error as error:
            raise StoreError(f"{path} cannot be opened: {error}") from error
        try:
            self._check()
            if not read_only:
                self._prepare()
        except sqlite3.OperationalError as error:
            self._connection.close()
            raise StoreError(f"{path} cannot be used: {error}") from error
        except sqlite3.Error as error:
            self._connection.close()
            raise self._damaged(error) from error
        except StoreError:
            self._connection.close()
            raise

    def _check(self) -> None:
        self.version = self._pragma("user_version")
        if self.version == 0 and not self._pragma("page_count"):
            return  # an empty file: begun, and stopped before its first transaction
        if self._pragma("application_id") != APPLICATION_ID:
            raise StoreError(f"{self.path} is not a results file of this library")
        if not 1 <= self.version <= SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} has schema version {self.version}, this version reads 1 to {SCHEMA_VERSION}; "
                "use a newer version of this library, overwrite it or use another folder"
            )

    def _prepare(self) -> None:
        if self.version < SCHEMA_VERSION:
            # One transaction: a crash leaves the file as it was or complete.
            steps = "".join(_MIGRATIONS[self.version :])
            self._connection.executescript(
                f"BEGIN IMMEDIATE; {steps} PRAGMA application_id={APPLICATION_ID}; "
                f"PRAGMA user_version={SCHEMA_VERSION}; COMMIT;"
            )
            self.version = SCHEMA_VERSION
        # Write-ahead logging lets readers look on, but needs memory shared between processes.
        if _on_network(self.path):
            warnings.warn(
                f"{self.path.parent} is on a network file system: the results file uses the rollback "
                "journal, and readers may have to wait",
                stacklevel=4,
            )
            self._connection.execute("PRAGMA journal_mode=DELETE")
        else:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")

    def _pragma(self, name: str) -> int:
        (value,) = self._connection.execute(f"PRAGMA {name}").fetchone()
        return int(value)

    def _damaged(self, error: Exception) -> StoreError:
        return StoreError(f"{self.path} is damaged ({error}); overwrite it or use another folder")

    def key(self, experiment: str, size: int, seed: int) -> str:
        """Hash that names a cell."""
        text = json.dumps([experiment, size, seed, self.code])
        return hashlib.sha256(text.encode()).hexdigest()[:40]

    def save(self, experiment: str, size: int, cells: Iterable[CellResult]) -> None:
        """Write cells in one transaction; a cell that is there already stays as it is."""
        rows = [
            (
                self.key(experiment, size, cell.seed),
                experiment,
                size,
                cell.seed,
                self.code,
                json.dumps(dict(cell.result), allow_nan=False),
                cell.seconds,
            )
            for cell in cells
        ]
        self._write("INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def load(self, experiment: str, size: int, seeds: Sequence[int]) -> dict[int, CellResult]:
        """The cells among `seeds` that are there, by seed; raises StoreError if the file is damaged."""
        keys = {self.key(experiment, size, seed): seed for seed in seeds}
        found: dict[int, CellResult] = {}
        names = list(keys) if self.version else []
        # SQLite limits the number of parameters of a statement.
        try:
            for start in range(0, len(names), 500):
                part = names[start : start + 500]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, result, seconds FROM cells WHERE key IN ({marks})"
                for key, result, seconds in self._connection.execute(query, part):
                    found[keys[key]] = CellResult(seed=keys[key], result=json.loads(result), seconds=seconds)
        except (sqlite3.Error, ValueError) as error:
            raise self._damaged(error) from error
        return found

    def save_look(self, claim: str, look: int, comparison: Mapping[str, object]) -> None:
        """Write the comparison made at one look."""
        row = (claim, look, json.dumps(dict(comparison), allow_nan=False))
        self._write("INSERT OR REPLACE INTO looks VALUES (?, ?, ?)", [row])

    def save_run(self, run: RunRecord) -> None:
        """Write this session's record, over what it wrote before."""
        row = (self._run, run.started, run.seconds, json.dumps(dict(run.environment)))
        self._write("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", [row])
        if self._run is None:
            (self._run,) = self._connection.execute("SELECT max(number) FROM runs").fetchone()

    def runs(self) -> tuple[RunRecord, ...]:
        """All sessions, the first one first."""
        if self.version < 2:
            return ()
        try:
            rows = self._connection.execute(
                "SELECT started, seconds, environment FROM runs ORDER BY number"
            ).fetchall()
            return tuple(
                RunRecord(started=started, seconds=seconds, environment=json.loads(environment))
                for started, seconds, environment in rows
            )
        except (sqlite3.Error, ValueError) as error:
            raise self._damaged(error) from error

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        try:
            with self._connection:
                self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} cannot be written: {error}") from error

    def close(self) -> None:
        """Fold the log into the file and close it."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    if not read_only:
        return sqlite3.connect(path, timeout=30.0)
    # Even a reader shares memory through a file beside the store, unless nobody can be writing.
    settled = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    flags = "mode=ro&immutable=1" if settled else "mode=ro"
    return sqlite3.connect(f"{path.resolve().as_uri()}?{flags}", uri=True, timeout=30.0)


def _on_network(path: Path) -> bool:
    """Whether the file lies on a network file system, as far as /proc tells (Linux only)."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    best, kind = "", ""
    target = str(path.resolve().parent) + "/"
    for line in mounts:
        fields = line.split()
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ").rstrip("/") + "/"
        if target.startswith(point) and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind.startswith(NETWORK_FILE_SYSTEMS)
