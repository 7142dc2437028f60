"""The plain HTTP endpoints: their parameters, and which answer they ask a worker for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hermite_analytics.explorer.models import ACTIVATION, MODELS, SIMULATED, TARGET
from hermite_analytics.explorer.parameters import Number, Parameter, slider
from hermite_analytics.numeric.models.shared import ALPHA, C, R

__all__ = ["ENDPOINTS", "Endpoint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One path below /api.

    Attributes
    ----------
    question : str
        The name of the answer.
    help : str
    parameters : tuple of parameters
    fixed : mapping
        What the path says.
    """

    question: str
    help: str
    parameters: tuple[Parameter, ...]
    fixed: Mapping[str, str]

    def describe(self, path: str) -> dict[str, object]:
        """JSON-ready."""
        parameters = [parameter.describe() for parameter in self.parameters]
        return {"path": f"/api/{path}", "help": self.help, "parameters": parameters}


_WIDTH = Number(
    name="kappa_max", symbol="κ max", help="kappa runs from -kappa_max to kappa_max", default=4, low=1,
    high=8, least=1e-3, most=100,
)  # fmt: skip
_DIMENSION = Number(
    name="d", symbol="d", help="the dimension of the networks", default=150, low=50, high=300, least=10,
    most=1000, whole=True,
)  # fmt: skip
_SEEDS = Number(
    name="seeds", symbol="seeds", help="how many networks", default=4, low=2, high=16, least=2, most=64,
    whole=True,
)  # fmt: skip
_SIZES = (slider(ALPHA), _DIMENSION, _SEEDS)


def _endpoint(question: str, help: str, *parameters: Parameter, **fixed: str) -> Endpoint:
    return Endpoint(question=question, help=help, parameters=parameters, fixed=fixed)


ENDPOINTS: Mapping[str, Endpoint] = {
    "target": _endpoint("target", "everything about a target, with its evidence", TARGET),
    "explanation": _endpoint("explanation", "the argument for every claim about a target", TARGET),
    "learns": _endpoint(
        "learns", "whether a network of an activation realises each step", TARGET, ACTIVATION
    ),
    "activation": _endpoint("activation", "mu0, mu1, mu2^2 of an activation as formulas", ACTIVATION),
    "coefficients": _endpoint(
        "coefficients", "mu0, mu1, mu2^2 over kappa", ACTIVATION, slider(C), slider(R), _WIDTH
    ),
    **{
        f"curve/{name}": _endpoint("curve", model.title, *model.parameters, model=name)
        for name, model in MODELS.items()
    },
    **{
        f"drawing/{name}": _endpoint("drawing", f"{model.title}: a PDF", *model.parameters, model=name)
        for name, model in MODELS.items()
    },
    **{
        f"points/{name}": _endpoint(
            "points",
            f"{MODELS[name].title}: networks of finite size",
            *MODELS[name].inputs,
            *MODELS[name].knobs,
            *_SIZES,
            model=name,
        )
        for name in SIMULATED
    },
}
"""By path."""
