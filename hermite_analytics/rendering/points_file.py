"""A grid of results as one file of columns (.npz), written piece by piece: what was computed is kept.

Until the last piece is there each stands in a file of its own in the folder NAME.npz.parts, beside the text
of the problem. The whole is then put together column by column, so that no more than a piece is in memory.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError, StoreError
from hermite_analytics.foundation.folder_lock import FolderLock
from hermite_analytics.foundation.json import Document
from hermite_analytics.rendering.files import unwritable

__all__ = ["Columns", "PointsFile"]

Columns = Mapping[str, NDArray[np.generic]]

_PROBLEM = "problem"
_AXES = "axes"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsFile:
    """The file of a problem.

    Attributes
    ----------
    path : Path
        Ends in .npz.
    problem : str
        What the points are of, as JSON text.
    shape : mapping of str to int
        The axes of the grid, slowest first, with their lengths.
    is_complete : bool
        Whether all pieces were there before.
    lock : FolderLock or None
        On the pieces, while they are written.
    """

    path: Path
    problem: str
    shape: Mapping[str, int]
    is_complete: bool = False
    lock: FolderLock | None = None

    @classmethod
    def opened(cls, path: str | Path, problem: Document, shape: Mapping[str, int]) -> PointsFile:
        """A new file, or one of the same problem that an interrupted run has left.

        Raises
        ------
        InputError
            If the file is of another problem, or cannot be written.
        StoreError
            If another run writes it.
        """
        place, text = Path(path), json.dumps(problem, sort_keys=True)
        found = cls(path=place, problem=text, shape=shape)
        if found._has_pieces:
            left = found._left()
            if left is None and place.exists() and _problem_of(place) == text:  # ended while the folder went
                return replace(found, is_complete=True)
            found._check(left)
            return found._locked()
        if place.exists():
            found._check(_problem_of(place))
            if not found._parts.is_dir():
                return replace(found, is_complete=True)
        locked = found._locked()
        try:
            (found._parts / "problem.json").write_text(text, encoding="utf-8")
        except OSError as error:
            raise unwritable(found._parts, error) from None
        return locked

    def _locked(self) -> PointsFile:
        """The same, with its folder, and other runs kept out of it."""
        try:
            self._parts.mkdir(exist_ok=True)
            return replace(self, lock=FolderLock(self._parts, instead="another name"))
        except StoreError:
            raise
        except OSError as error:
            raise unwritable(self._parts, error) from None

    def forget_if_empty(self) -> None:
        """Leave nothing behind where no piece was computed."""
        if not self.is_complete and not self._has_pieces:
            self.release()
            shutil.rmtree(self._parts, ignore_errors=True)

    def release(self) -> None:
        """Let other runs in."""
        if self.lock is not None:
            self.lock.release()

    @property
    def _has_pieces(self) -> bool:
        return self._parts.is_dir() and any(self._parts.glob("*.npz"))

    @property
    def _parts(self) -> Path:
        return self.path.with_name(f"{self.path.name}.parts")

    def _left(self) -> str | None:
        try:
            return (self._parts / "problem.json").read_text(encoding="utf-8")
        except OSError:
            return None

    def _check(self, problem: str | None) -> None:
        if problem != self.problem:
            kind = "no sweep" if problem is None else "another sweep"
            beside = f" (pieces of it are in {self._parts.name[-60:]})" if self._has_pieces else ""
            raise InputError(
                f"{str(self.path)[:60]!r} holds {kind}{beside}; accepted: the same command to go on, "
                "or a new name"
            )

    def _piece(self, number: int) -> Path:
        return self._parts / f"{number:08d}.npz"

    def has(self, number: int) -> bool:
        """Whether a piece was computed."""
        return self.is_complete or self._piece(number).exists()

    def keep(self, number: int, columns: Columns) -> None:
        """Keep a piece; it is there as a whole, or not at all.

        Raises
        ------
        InputError
            If it cannot be written; the pieces before stay.
        """
        target = self._piece(number)
        unfinished = target.with_suffix(".tmp")
        try:
            with zipfile.ZipFile(unfinished, "w") as archive:
                for name, values in columns.items():
                    _write_column(archive, name, values.shape, values.dtype, [values])
            os.replace(unfinished, target)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise self._stopped(error) from None

    def finish(self, count: int, missing: Callable[[int], Columns]) -> Counter[str]:
        """Put the pieces together, and say how often each status is among the points.

        Parameters
        ----------
        count : int
            Of the pieces.
        missing : callable
            missing(number): what is known of a piece that is not there; the rest of it is NaN. The pieces
            stay then, and a later call goes on.

        Raises
        ------
        InputError
            If the file cannot be written; the pieces stay.
        """
        if self.is_complete:
            with np.load(self.path) as whole:
                return Counter(whole["status"].reshape(-1).tolist())
        unfinished = self.path.with_name(f"{self.path.name}.tmp")
        try:
            statuses = self._write(unfinished, count, missing)
            os.replace(unfinished, self.path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise self._stopped(error) from None
        if all(self._piece(number).exists() for number in range(count)):
            shutil.rmtree(self._parts)
        return statuses

    def _write(self, path: Path, count: int, missing: Callable[[int], Columns]) -> Counter[str]:
        each = self._rows_a_point(count, missing)

        def known(number: int) -> Columns:
            return {name: np.repeat(values, each, axis=0) for name, values in missing(number).items()}

        forms = self._forms(count, known)
        statuses: Counter[str] = Counter()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            _write_column(archive, _PROBLEM, (), np.dtype(f"<U{len(self.problem)}"), [np.array(self.problem)])
            axes = np.array(list(self.shape), dtype=str)
            _write_column(archive, _AXES, axes.shape, axes.dtype, [axes])
            for name, (dtype, own) in forms.items():
                # models with several results a point have an axis more
                shape = (*self.shape.values(), *((each,) if each > 1 else ()), *own)
                parts = self._column(name, dtype, own, count, known)
                if name == "status":
                    parts = _counting(parts, statuses)
                _write_column(archive, name, shape, dtype, parts)
        return statuses

    def _rows_a_point(self, count: int, missing: Callable[[int], Columns]) -> int:
        for number in (n for n in range(count) if self._piece(n).exists()):
            with np.load(self._piece(number)) as piece:
                return len(piece["status"]) // len(missing(number)["status"])
        return 1

    def _forms(
        self, count: int, missing: Callable[[int], Columns]
    ) -> dict[str, tuple[np.dtype[np.generic], tuple[int, ...]]]:
        """Type and own shape of each column."""
        forms: dict[str, tuple[np.dtype[np.generic], tuple[int, ...]]] = {}
        for number in range(count):
            for name, values in self._columns(number, missing).items():
                before = forms.get(name, (values.dtype, ()))[0]
                forms[name] = (np.result_type(before, values.dtype), values.shape[1:])
        return forms

    def _columns(self, number: int, missing: Callable[[int], Columns]) -> Columns:
        """Of a piece, or what is known of it."""
        if not self._piece(number).exists():
            return missing(number)
        with np.load(self._piece(number)) as piece:
            return {name: piece[name] for name in piece.files}

    def _column(
        self,
        name: str,
        dtype: np.dtype[np.generic],
        own: tuple[int, ...],
        count: int,
        missing: Callable[[int], Columns],
    ) -> Iterator[NDArray[np.generic]]:
        for number in range(count):
            if self._piece(number).exists():
                with np.load(self._piece(number)) as piece:
                    rows = len(piece["status"]) if name not in piece.files else 0
                    yield _unknown(dtype, (rows, *own)) if rows else piece[name]
            else:
                known = missing(number)
                if name in known:
                    yield known[name]
                else:
                    yield _unknown(dtype, (len(known["status"]), *own))

    def _stopped(self, error: OSError) -> InputError:
        said = unwritable(self.path, error)
        return InputError(f"{said}; what was computed is kept beside it: the same command goes on from there")


def _problem_of(path: Path) -> str | None:
    try:
        with np.load(path) as whole:
            return str(whole[_PROBLEM])
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None


def _unknown(dtype: np.dtype[np.generic], shape: tuple[int, ...]) -> NDArray[np.generic]:
    if dtype.kind == "U":
        return np.full(shape, "", dtype=dtype)
    return np.full(shape, np.nan if dtype.kind in "fc" else 0, dtype=dtype)


def _counting(parts: Iterator[NDArray[np.generic]], statuses: Counter[str]) -> Iterator[NDArray[np.generic]]:
    for part in parts:
        statuses.update(part.tolist())
        yield part


def _write_column(
    archive: zipfile.ZipFile,
    name: str,
    shape: tuple[int, ...],
    dtype: np.dtype[np.generic],
    parts: Iterator[NDArray[np.generic]] | list[NDArray[np.generic]],
) -> None:
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_2_0(file, header)
        for part in parts:
            file.write(np.ascontiguousarray(part, dtype=dtype).tobytes())
