"""One writer at a time in a folder."""

from __future__ import annotations

from pathlib import Path

from hermite_analytics.errors import StoreError

__all__ = ["LOCK", "FolderLock"]

LOCK = ".lock"  # the file of the lock; it stays, and is nobody's when no process holds it


class FolderLock:
    """Keeps a second writer out of a folder; the system drops the lock of a process that was killed.

    Parameters
    ----------
    folder : Path
        It exists.
    instead : str
        What else to use, in the message: "another folder".

    Raises
    ------
    StoreError
        If another process writes there.
    OSError
        If the folder cannot be written.
    """

    def __init__(self, folder: Path, *, instead: str) -> None:
        self._file = (folder / LOCK).open("w")
        try:
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise StoreError(
                f"{folder} is in use by another run; wait for its end, or use {instead}"
            ) from None
        except (ImportError, OSError):
            pass  # no such locks here: two runs would only compute the same points twice

    def release(self) -> None:
        """Let others in."""
        self._file.close()
