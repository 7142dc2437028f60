"""`import hermite_analytics.validation` is quick: what is heavy loads on first use."""

import subprocess
import sys

import pytest

import hermite_analytics.validation as validation

HEAVY = ("numpy", "scipy", "sympy", "numba", "matplotlib", "jinja2", "pydantic", "latex2mathml", "click")


def test_import_loads_nothing_heavy():
    code = f"import sys, hermite_analytics.validation; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names():
    for name in validation.__all__:
        assert getattr(validation, name).__name__ == name
        assert name in dir(validation)
    with pytest.raises(AttributeError, match="has no attribute 'Champaign'"):
        _ = validation.Champaign
