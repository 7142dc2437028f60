"""Output folders: what may be used, what is refused, and one writer at a time."""

from __future__ import annotations

import os
from pathlib import Path

from hermite_analytics.errors import InputError, StoreError
from hermite_analytics.foundation.folder_lock import LOCK, FolderLock
from hermite_analytics.validation.campaign.store import APPLICATION_ID, STORE_NAME, Store

__all__ = ["OWN_FILES", "check_folder", "open_folder", "read_folder", "replace_file"]

_REPORTS = ("results.json", "report.html", "junit.xml")
OWN_FILES = (
    STORE_NAME,
    f"{STORE_NAME}-wal",
    f"{STORE_NAME}-shm",
    f"{STORE_NAME}-journal",
    *_REPORTS,
)


class _LockedStore(Store):
    """A store that keeps other writers out of its folder until it is closed."""

    def __init__(self, folder: Path, lock: FolderLock, *, code: str) -> None:
        self._lock = lock
        try:
            super().__init__(folder / STORE_NAME, code=code)
        except BaseException:
            lock.release()
            raise

    def close(self) -> None:
        super().close()
        self._lock.release()


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
    check_folder(folder, resume=resume, overwrite=overwrite)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(folder, instead="another folder")
        if overwrite:
            for name in OWN_FILES:
                (folder / name).unlink(missing_ok=True)
            for draft in folder.glob(".*.draft-*"):
                draft.unlink(missing_ok=True)
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror or error}") from error
    return _LockedStore(folder, lock, code=code)


def check_folder(folder: Path, *, resume: bool, overwrite: bool) -> None:
    """Raise the InputError of `open_folder`, where there is one; nothing is touched."""
    if resume and overwrite:
        raise InputError("resume and overwrite exclude each other; give one of them")
    if _holds_ours(folder) and not (resume or overwrite):
        raise InputError(
            f"{folder} holds earlier results; resume them or overwrite them (--resume, --overwrite)"
        )


def read_folder(folder: Path, *, code: str) -> Store:
    """Open the store of a folder to look on, whether or not a campaign is writing to it.

    Raises
    ------
    InputError
        If the folder holds no results of this library.
    StoreError
        If the store is damaged or of a newer schema version.
    """
    if not _holds_ours(folder):
        raise InputError(f"{folder} holds no results; the folder of an earlier run is needed")
    return Store(folder / STORE_NAME, code=code, read_only=True)


def replace_file(path: Path, text: str) -> None:
    """Write a file as a whole or not at all; raises StoreError if it cannot be written.

    A campaign and someone who draws its report meanwhile have drafts of their own.
    """
    draft = path.with_name(f".{path.name}.draft-{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"{path.parent} cannot be written: {error.strerror or error}") from error


def _holds_ours(folder: Path) -> bool:
    """Whether a folder holds our store; raises InputError if it is a file or holds anything else."""
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file; the name of a new or empty folder is needed")
        if not folder.is_dir() or not {entry.name for entry in folder.iterdir()} - {LOCK}:
            return False
        path = folder / STORE_NAME
        if not path.is_file():
            raise InputError(f"{folder} holds other files; a new or empty folder, or one of ours, is needed")
        if not _is_ours(path):
            raise InputError(f"{path} is not a results file of this library; use a new or empty folder")
    except OSError as error:
        if isinstance(error, InputError):
            raise
        raise StoreError(f"{folder} cannot be read: {error.strerror or error}") from error
    return True


def _is_ours(path: Path) -> bool:
    """Whether the header of the file carries our mark; a store that was just begun may be empty."""
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        return True
    return header[:15] == b"SQLite format 3" and int.from_bytes(header[68:72], "big") == APPLICATION_ID
