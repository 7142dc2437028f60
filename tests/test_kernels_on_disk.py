"""Kernels on disk are renewed when a function or a constant that they use changes in another file."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from hermite_analytics.numeric.losses.interface import no_corners, proximal_arrays
from hermite_analytics.numeric.losses.loss import Loss

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
    return value, bool(outer.dispatcher.stats.cache_hits)


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


LOADED = """
import sys
import inner_functions
print("numba" in sys.modules, end=" ")
assert inner_functions.inner(3.0) == 4.0
hits = inner_functions.inner.dispatcher.stats.cache_hits
print(sum(hits.values()), "numba.cpython.unicode" in sys.modules)
"""


CHARGED = """
import time
from hermite_analytics.foundation.clock import allowed
import inner_functions
with allowed(1e6) as limit:
    start = time.thread_time()
    assert inner_functions.inner(3.0) == 4.0
    spent = time.thread_time() - start
    print(limit.used() < 0.5 * spent)
"""


def said(folder, code):
    """What a process prints that finds `inner_functions` there."""
    (folder / "inner_functions.py").write_text(CALLEE.format(scale=2, inner="x + 1.0"))
    path = {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | path, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_what_is_loaded_when(tmp_path):
    """Nothing before the first call; to run what is kept, not the rules of numba's compiler."""
    assert said(tmp_path, LOADED) == "False 0 True"
    assert said(tmp_path, LOADED) == "False 1 False"


def test_no_limit_is_charged_with_the_first_call(tmp_path):
    """It imports numba and compiles, and the limit began before numba was there to tell of that."""
    assert said(tmp_path, CHARGED) == "True"


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(no_corners)) is no_corners


def test_a_kernel_is_an_argument_of_another():
    out, one = np.empty((5, 1)), np.ones(1)
    proximal_arrays(Loss("square").proximal, one, 0 * one, one, 0.0, out)
    assert out[0, 0] == 0.5
