"""Records of the protocols of a teacher: AMP, the spectral method, and targets of three layers."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.numeric.models.record import Kind, Parameter, Record, Result
from hermite_analytics.numeric.protocols.shared import (
    CHUNK_ROWS,
    N_TEST,
    NOISE,
    RUN,
    TARGET,
    Estimates,
    size,
    swept,
)

__all__ = ["AMP", "SPECTRAL", "THREE_LAYER"]

_LABELS = (
    replace(TARGET, help='Target, such as "sign(z1*z2)"'),
    swept("alpha", "n/d, samples"),
    size("n", "Samples, instead of --alpha"),
    replace(NOISE, help="Variance of additive label noise, beside that of the target"),
)
_OVERLAP = Result(name="overlap", help="of the estimate with the teacher, r x r", shape=Estimates)
_TEST = Result(name="test_error", help="E (E[y|x] - yhat)^2 on fresh samples", shape=Estimates)

AMP = Record(
    name="amp",
    summary="Approximate message passing on data of a teacher.",
    help="Bayes-optimal AMP on n = alpha d labels of a teacher.",
    factory="simulator.amp:AMPProtocol",
    parameters=(
        *_LABELS,
        *RUN,
        Parameter(
            name="start",
            help="A small random estimate, a share of the teacher, or the spectral estimate",
            kind=Kind.CHOICE,
            accepted=("uninformed", "informed", "spectral"),
            to="model",
            default="uninformed",
            is_filled=True,
        ),
        swept("start_overlap", "Squared overlap of the start"),
        size("iterations", "At most; 200 by default", default=200),
        swept("tolerance", "On the change of the estimate; 1e-5 by default", default=1e-5),
        swept("damping", "Share of the old estimate that is kept; 0 by default", default=0.0),
        size("damping_steps", "Steps that are damped; all by default"),
    ),
    results=(
        _OVERLAP,
        _TEST,
        Result(name="expected_overlap", help="that of state evolution", shape=Estimates),
        Result(name="iterations", shape=Estimates),
        Result(name="converged", help="share of the seeds", shape=Estimates),
    ),
)

SPECTRAL = Record(
    name="spectral",
    summary="The spectral method with the best preprocessing.",
    help="The spectral method on n = alpha d labels of a teacher.",
    factory="simulator.spectral:SpectralProtocol",
    parameters=(
        *_LABELS,
        *RUN,
        swept("tolerance", "Relative, of the eigenvalues; 1e-6 by default", default=1e-6),
    ),
    results=(
        _OVERLAP,
        _TEST,
        Result(name="eigenvalue", help="the largest", shape=Estimates),
        Result(name="predicted_overlap", help="in the limit", shape=Estimates, always=False),
    ),
)

THREE_LAYER = Record(
    name="three-layer",
    summary="A target of three layers, learned by one, two or three layers.",
    help="Overlap of the first layer with the target's directions, and the test error.",
    factory="simulator.three_layer.protocol:ThreeLayerProtocol",
    parameters=(
        Parameter(
            name="degrees",
            help="Hermite degrees of the inner polynomial, such as 2,3",
            kind=Kind.LIST,
            to="model",
            required=True,
        ),
        swept("epsilon", "The target has d^epsilon inner directions", required=True),
        swept("kappa", "log n / log d, samples"),
        size("n", "Samples, instead of --kappa"),
        Parameter(
            name="scenario",
            help="Kernel ridge regression; two layers; three layers; the spectrum that a first layer sees",
            kind=Kind.CHOICE,
            accepted=("1", "2", "3", "proxy"),
            to="model",
            required=True,
        ),
        Parameter(
            name="link",
            help="g of y = g(h)",
            kind=Kind.EXPRESSION,
            to="model",
            default="tanh(3*z)",
            is_filled=True,
        ),
        *RUN,
        size("p1", "Neurons of the first layer; by default d^1.98, a 15th of it in scenario 2"),
        size("p2", "Neurons of the second layer; by default 100", default=100),
        size("first_steps", "Gradient steps on the first layer"),
        size("second_steps", "Gradient steps on the second layer"),
        swept("rate", "Step size, in units of the published one", default=1.0),
        swept("ridge", "lambda of sum (y - yhat)^2 + lambda n |a|^2; by default 1", default=1.0),
        NOISE,
    ),
    results=(
        replace(_OVERLAP, always=False),
        replace(_TEST, always=False),
        replace(
            _OVERLAP,
            name="hidden_overlap",
            help="mean squared correlation of a field of the second layer with h; in scenario 3",
            always=False,
        ),
    ),
    python_only=(N_TEST.name, CHUNK_ROWS.name),
)
