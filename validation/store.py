"""Results of cells in one SQLite file: crash-safe, resumable, read by anyone while it is written.

Only the coordinator of a campaign writes. A cell is keyed by a hash of its experiment, size, seed and the
version of the code that computed it: a changed parameter or a changed simulator never meets an old result.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hermite_analytics.errors import InputError, StoreError

__all__ = ["OWN_FILES", "SCHEMA_VERSION", "STORE_NAME", "CellResult", "Store", "open_folder"]

SCHEMA_VERSION = 1
# "HerA": marks a SQLite file as ours.
APPLICATION_ID = 0x48657241
STORE_NAME = "results.sqlite"
OWN_FILES = (
    STORE_NAME,
    f"{STORE_NAME}-wal",
    f"{STORE_NAME}-shm",
    f"{STORE_NAME}-journal",
    "results.json",
    "report.html",
    ".results.json.draft",
    ".report.html.draft",
)
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

_SCHEMA = """
CREATE TABLE cells (
    key TEXT PRIMARY KEY, experiment TEXT NOT NULL, size INTEGER NOT NULL, seed INTEGER NOT NULL,
    code TEXT NOT NULL, result TEXT NOT NULL, seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE looks (
    claim TEXT NOT NULL, look INTEGER NOT NULL, comparison TEXT NOT NULL, PRIMARY KEY (claim, look)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellResult:
    """What one seed at one size gave: numbers, lists of them, None for not finite; and its processor time."""

    seed: int
    result: Mapping[str, Any]
    seconds: float


class Store:
    """The results file of one folder.

    Parameters
    ----------
    path : Path
        The file; made if it does not exist.
    code : str
        Version of the code that computes the cells.

    Raises
    ------
    StoreError
        If the file is not ours, is damaged, or has another schema version.
    """

    def __init__(self, path: Path, *, code: str) -> None:
        self.path = path
        self.code = code
        exists = path.exists() and path.stat().st_size > 0
        try:
            self._connection = sqlite3.connect(path, timeout=30.0)
        except sqlite3.Error as error:
            raise StoreError(f"{path} cannot be opened: {error}") from error
        try:
            if exists:
                self._check()
            self._prepare(new=not exists)
        except sqlite3.Error as error:
            self._connection.close()
            raise StoreError(f"{path} is damaged ({error}); overwrite it or use another folder") from error
        except StoreError:
            self._connection.close()
            raise

    def _check(self) -> None:
        if self._pragma("application_id") != APPLICATION_ID:
            raise StoreError(f"{self.path} is not a results file of this library")
        version = self._pragma("user_version")
        if version != SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} has schema version {version}, this version reads {SCHEMA_VERSION}; "
                "overwrite it or use another folder"
            )

    def _prepare(self, *, new: bool) -> None:
        if new:
            # One transaction, before anything else: a crash leaves an empty file or a complete one.
            self._connection.executescript(
                f"BEGIN; {_SCHEMA} PRAGMA application_id={APPLICATION_ID}; "
                f"PRAGMA user_version={SCHEMA_VERSION}; COMMIT;"
            )
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
        names = list(keys)
        # SQLite limits the number of parameters of a statement.
        try:
            for start in range(0, len(names), 500):
                part = names[start : start + 500]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, result, seconds FROM cells WHERE key IN ({marks})"
                for key, result, seconds in self._connection.execute(query, part):
                    found[keys[key]] = CellResult(seed=keys[key], result=json.loads(result), seconds=seconds)
        except (sqlite3.Error, ValueError) as error:
            raise StoreError(
                f"{self.path} is damaged ({error}); overwrite it or use another folder"
            ) from error
        return found

    def save_look(self, claim: str, look: int, comparison: Mapping[str, Any]) -> None:
        """Write the comparison made at one look."""
        row = (claim, look, json.dumps(dict(comparison), allow_nan=False))
        self._write("INSERT OR REPLACE INTO looks VALUES (?, ?, ?)", [row])

    def _write(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
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


def open_folder(folder: Path, *, code: str, resume: bool = False, overwrite: bool = False) -> Store:
    """Open the store of an output folder, by the rules for output folders.

    A new or empty folder starts. A folder that holds our store needs `resume` or `overwrite`; `overwrite`
    deletes our own files and nothing else. A folder that holds anything else is refused.

    Parameters
    ----------
    folder : Path
        Made, with its parents, if it does not exist.
    code : str
        Version of the code that computes the cells.
    resume, overwrite : bool
        Not both.

    Raises
    ------
    InputError
        If both flags are given, the folder is a file, holds our store and no flag is given, or holds anything
        else and not our store.
    StoreError
        If the store is damaged or has another schema version, or the folder cannot be written.
    """
    if resume and overwrite:
        raise InputError("resume and overwrite exclude each other; give one of them")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; the name of a new or empty folder is needed")
    path = folder / STORE_NAME
    if folder.is_dir() and any(folder.iterdir()):
        if not path.is_file():
            raise InputError(f"{folder} holds other files; a new or empty folder, or one of ours, is needed")
        if not _is_ours(path):
            raise InputError(f"{path} is not a results file of this library; use a new or empty folder")
        if not (resume or overwrite):
            raise InputError(
                f"{folder} holds earlier results; resume them or overwrite them (--resume, --overwrite)"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if overwrite:
            for name in OWN_FILES:
                (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror or error}") from error
    return Store(path, code=code)


def _is_ours(path: Path) -> bool:
    """Whether the header of the file carries our mark; a store that was just begun may be empty."""
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        return True
    return header[:15] == b"SQLite format 3" and int.from_bytes(header[68:72], "big") == APPLICATION_ID


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
