"""What a model with a learning curve is on the page: its sliders and what it draws, in words."""

from __future__ import annotations

from dataclasses import dataclass

from hermite_analytics.explorer.parameters import Parameter, Text

__all__ = ["Drawn", "Model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A curve or a level.

    Attributes
    ----------
    name, label, help : str
        In the document, in the legend, and its definition in one line.
    """

    name: str
    label: str
    help: str

    def describe(self) -> dict[str, str]:
        """JSON-ready."""
        return {"name": self.name, "label": self.label, "help": self.help}


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model on the page.

    Attributes
    ----------
    name, title, help, source : str
    inputs : tuple of Text
        Which of activation and target it takes.
    knobs : tuple of parameters
        Its sliders, without the range of the abscissa.
    span : tuple of parameters
        The range of the abscissa: from, to, points, spacing; or its last number alone, of steps from 0.
    abscissa, ordinate : str
        Labels of the axes.
    curves, levels : tuple of Drawn
    """

    name: str
    title: str
    help: str
    source: str
    inputs: tuple[Text, ...]
    knobs: tuple[Parameter, ...]
    span: tuple[Parameter, ...]
    abscissa: str = "α = n/d"
    ordinate: str = "error"
    curves: tuple[Drawn, ...]
    levels: tuple[Drawn, ...] = ()

    @property
    def axis(self) -> str:
        """The name of the abscissa."""
        return self.span[0].name.removesuffix("_from")

    @property
    def counts_steps(self) -> bool:
        """Whether the abscissa is that of steps."""
        return len(self.span) == 1

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All that its endpoint takes."""
        return (*self.inputs, *self.knobs, *self.span)

    def describe(self) -> dict[str, object]:
        """JSON-ready: what the page is built from."""
        return {
            "name": self.name,
            "title": self.title,
            "help": self.help,
            "source": self.source,
            "inputs": [text.name for text in self.inputs],
            "knobs": [knob.describe() for knob in self.knobs],
            "span": [end.describe() for end in self.span],
            "abscissa": self.abscissa,
            "ordinate": self.ordinate,
            "curves": [curve.describe() for curve in self.curves],
            "levels": [level.describe() for level in self.levels],
        }
