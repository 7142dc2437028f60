"""Tabulated laws of independent parts, and of what is made from them.

All take `level` (>= 1: the spacing of all rules is divided by it); compare two levels, and the mass with 1.

- ``branches.Term(value=, derivative=, points=, tracked=True)``: a part g(w) of one coordinate, vectorised
  callables; `points` are all its critical points, kinks and jumps (for products its zeros too); constant
  pieces are allowed. ``branches.term_density(term, level=, extra=())`` is its law.
- ``extremes.extreme_density``: the largest or smallest of any number of parts.
- ``convolution.added(a, b)``, ``convolution.multiplied(a, b)``: of two independent labels; the coordinates
  of a come first. Any expression in which each coordinate occurs once.
- ``composition.composed_density(outer, density, extra=())``: y = h(t), t a label with a known law.
- ``smoothed.smoothed_density(density, noise)``: y = t + noise * xi.
"""
