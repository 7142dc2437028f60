"""`Result`: what every answer can do, written once; a class of answers only says what its rows are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.json import Document
from hermite_analytics.rendering.drawing import Drawing, Marked
from hermite_analytics.rendering.frame import Frame, Record
from hermite_analytics.rendering.provenance import kept
from hermite_analytics.rendering.values import made_again, same_fields, taken_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas
    import xarray
    from matplotlib.axes import Axes

__all__ = ["ByFields", "Result"]


class Result:
    """An answer that shows itself and travels; subclasses say their `frame` and their `document`.

    Examples
    --------
    >>> from hermite_analytics import weak_recovery
    >>> found = weak_recovery("sign(z1*z2)")
    >>> [(row["stage"], row["alpha_c_exact"]) for row in found.records()]
    [(1, 'pi**2/4')]
    """

    __slots__ = ()

    def frame(self) -> Frame:
        """The rows that all else is made from."""
        raise NotImplementedError

    def document(self) -> Document:
        """What `to_dict` keeps, without its versions."""
        raise NotImplementedError

    def drawing(self) -> Drawing:
        """What `plot` draws where nothing else is asked for."""
        return Drawing(frame=self.frame())

    def to_dict(self) -> Document:
        """JSON-ready, with the number of the schema and the versions that the numbers come from."""
        return kept(self.document())

    def records(self) -> list[Record]:
        """One flat dictionary a row: numbers and words, groups and errors as entries of their own."""
        return self.frame().records()

    def to_dataframe(self) -> pandas.DataFrame:
        """The records as a pandas DataFrame, parameters and sources in its `attrs`."""
        from hermite_analytics.rendering.dataframe import dataframe_of

        return dataframe_of(self.frame())

    def to_xarray(self) -> xarray.Dataset:
        """The records as an xarray Dataset over the parameters that vary, if they span a whole grid."""
        from hermite_analytics.rendering.dataframe import dataset_of

        return dataset_of(self.frame())

    def to_csv(self, path: str | Path | None = None) -> str:
        """The records as comma-separated values, also written to a file if one is named."""
        from hermite_analytics.rendering.dataframe import csv_of
        from hermite_analytics.rendering.files import write_text

        text = csv_of(self.frame())
        if path is not None:
            write_text(path, text)
        return text

    @property
    def latex(self) -> str:
        """A table for a paper, in the manner of booktabs."""
        from hermite_analytics.rendering.latex import latex_of

        return latex_of(self.frame())

    def cite(self, form: Literal["text", "bibtex"] = "text") -> str:
        """The source of the numbers; "bibtex" has an entry for each paper and one for the software."""
        from hermite_analytics.rendering.citation import bibtex_of

        if form not in ("text", "bibtex"):
            raise InputError(f"form is {form!r}; accepted: 'text', 'bibtex'")
        sources = self.frame().sources
        return sources if form == "text" else bibtex_of(sources)

    def plot(
        self,
        ax: Axes | str | Path | None = None,
        *,
        save: str | Path | None = None,
        x: str | None = None,
        y: str | Sequence[str] | None = None,
        heat: str | None = None,
        simulation: Result | Sequence[Result] | None = None,
        thresholds: Marked | None = None,
        label: str | None = None,
    ) -> Axes:
        """Draw values against a parameter: a line for each value of the others.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Onto which it is drawn; by default those of a new figure that fits a column of a paper. A path
            there is taken for `save`.
        save : str or Path, optional
            A file to write, .pdf, .svg or .png.
        x : str, optional
            The parameter of the abscissa; by default that of most values.
        y : str or sequence of str, optional
            The values drawn.
        heat : str, optional
            Draw this value as a map over two parameters instead: x and y, or the two that vary.
        simulation : what `simulate` returns, or several, optional
            Its means, with one standard error, as points over the lines of the same parameters.
        thresholds : optional
            What knows places to mark: thresholds or a curve of state evolution, an answer of `weak_recovery`,
            or a mapping of names to places.
        label : str, optional
            In front of each label of the legend.

        Returns
        -------
        matplotlib axes

        Raises
        ------
        InputError
            If nothing varies, a name is unknown, or the simulation is one of other parameters.
        """
        from hermite_analytics.rendering.plot import Request, plotted

        request = Request(x=x, y=y, heat=heat, simulation=simulation, thresholds=thresholds, label=label)
        return plotted(self.drawing(), request, ax, save)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        from hermite_analytics.rendering.text import text_of

        return text_of(self.frame())

    def _repr_html_(self) -> str:
        from hermite_analytics.rendering.html import html_of

        return html_of(self.frame())


class ByFields(Result):
    """A result that is a frozen dataclass of arrays: it compares by its fields, and pickles read-only."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other) if type(self) is type(other) else NotImplemented

    def __reduce__(self) -> tuple[object, ...]:
        return made_again, (type(self), taken_apart(self))
