"""Any text of the language: what is raised is an error of the library, whatever is asked."""

from __future__ import annotations

import json
import warnings

import pytest

import hermite_analytics as ha
from hermite_analytics.errors import HermiteAnalyticsError
from tests.nets.language_texts import Texts
from tests.nets.noisy_targets import noisy_label
from tests.nets.trees import label_text

QUESTIONS = {
    "noise_variance": lambda f, s: f.noise_variance,
    "noiseless": lambda f, s: f.noiseless,
    "conditional_mean": lambda f, s: f.conditional_mean,
    "has_jumps": lambda f, s: f.has_jumps,
    "hermite": lambda f, s: ha.hermite(f, 2, seconds=s).to_dict(),
    "information_exponent": lambda f, s: ha.information_exponent(f, seconds=s),
    "leap_index": lambda f, s: ha.leap_index(f, seconds=s),
    "leap_complexity": lambda f, s: ha.leap_complexity(f, seconds=s),
    "isotropic_leap": lambda f, s: ha.isotropic_leap(f, seconds=s),
    "generative_exponent": lambda f, s: ha.generative_exponent(f, seconds=s),
    "first_subspace": lambda f, s: ha.first_subspace(f, seconds=s),
    "staircase": lambda f, s: ha.staircase(f, seconds=s),
    "leap_decomposition": lambda f, s: ha.leap_decomposition(f, seconds=s),
    "grand_staircase": lambda f, s: ha.grand_staircase(f, seconds=s),
    "weak_recovery": lambda f, s: ha.weak_recovery(f, seconds=s),
    "analyze": lambda f, s: json.dumps(ha.analyze(f, seconds=s).to_dict()),
}
WRITTEN = [
    "min(erf(z1), tanh(z2)**2)",
    "max(step(z1 - 1), relu(xi - 1))",
    "step(step(abs(z1) - 1)) + step(sign(xi - 1/2))",
    "log(1 + 2*z1**2 + z1**4) - 2*log(1 + z1**2)",
]


def foreign(text: str, seconds: float, names: tuple[str, ...] = tuple(QUESTIONS)) -> dict[str, str]:
    """By question, what was raised that is not an error of the library; warnings are errors."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            f = ha.Target(text)
        except HermiteAnalyticsError:
            return {}
        except Exception as error:
            return {"Target": repr(error)[:200]}
        for name in names:
            try:
                QUESTIONS[name](f, seconds)
            except HermiteAnalyticsError:
                continue
            except Exception as error:
                found[name] = repr(error)[:200]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("text", WRITTEN)
def test_texts_that_raised(text):
    assert not foreign(text, 1.0, ("hermite", "generative_exponent", "weak_recovery")), text


@pytest.mark.cases(2)
@pytest.mark.draws(8)
@pytest.mark.parametrize("seed", range(12))
def test_random_texts(seed):
    text = Texts(seed).label(2)
    assert not foreign(text, 0.2), text


@pytest.mark.slow
@pytest.mark.draws(6)
@pytest.mark.parametrize("seed", range(1000, 1080))
def test_more_random_texts(seed):
    text = Texts(seed).label(3)
    assert not foreign(text, 0.3), text


@pytest.mark.slow
@pytest.mark.draws(4)
@pytest.mark.parametrize("seed", range(3000, 3020))
def test_random_labels(seed):
    text = label_text(noisy_label(seed))
    assert not foreign(text, 0.5), text
