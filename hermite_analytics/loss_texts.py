"""The losses that have a name, as texts of the language."""

from __future__ import annotations

__all__ = ["LOSSES_OF_SIGNS", "LOSS_FORMS", "LOSS_TEXTS", "PARAMETERS"]

LOSS_TEXTS = {
    "square": "(y - x)**2/2",
    "correlation": "-y*x",
    "huber": "((y - x)**2 - relu(y - x - D)**2 - relu(x - y - D)**2)/2",
    "quantile": "tau*(y - x) + relu(x - y)",
    "logistic": "softplus(-y*x)",
    "hinge": "relu(1 - y*x)",
}
"""With the letter of a parameter."""
LOSSES_OF_SIGNS = ("logistic", "hinge")
"""Those that take the labels 1 and -1 only."""
PARAMETERS = {"huber": ("D", None), "quantile": ("tau", 1)}
"""The letter, and the end of its range from 0."""
LOSS_FORMS = tuple(":".join((name, *PARAMETERS.get(name, ())[:1])) for name in LOSS_TEXTS)
"""As users write them."""
