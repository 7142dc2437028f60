"""Kernels on disk are renewed when a function or a constant that they use changes in another file."""

from __future__ import annotations

import importlib
import sys

import pytest

CALLEE = """
from hermite_analytics.foundation.kernels_on_disk import kept
SCALE = {scale}

@kept()
def inner(x):
    return {inner}
"""
CALLER = """
import math
import inner_functions
from hermite_analytics.foundation.kernels_on_disk import kept
from inner_functions import SCALE, inner

@kept({signature})
def outer(x):
    return SCALE * inner(x) + inner_functions.inner(x) - inner_functions.inner(x) + math.floor(0.5)
"""


def asked(folder, scale, inner, signature):
    (folder / "inner_functions.py").write_text(CALLEE.format(scale=scale, inner=inner))
    (folder / "outer_functions.py").write_text(CALLER.format(signature=signature))
    for name in ("inner_functions", "outer_functions"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    outer = importlib.import_module("outer_functions").outer
    value = outer(3.0)
    return value, bool(outer.stats.cache_hits)


@pytest.mark.parametrize("signature", ["", "'float64(float64)'", "['float64(float64)', 'int64(int64)']"])
def test_what_another_file_says_counts(tmp_path, monkeypatch, signature):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert asked(tmp_path, 2, "x + 1.0", signature) == (8.0, False)
    assert asked(tmp_path, 2, "x + 1.0", signature) == (8.0, True)
    assert asked(tmp_path, 2, "x + 5.0", signature) == (16.0, False)
    assert asked(tmp_path, 7, "x + 5.0", signature) == (56.0, False)
    for name in ("inner_functions", "outer_functions"):
        sys.modules.pop(name, None)
