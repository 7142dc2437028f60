"""Numeric laws of a label y = g(w), w ~ N(0, I_q): its density, and the moments of w given y.

Every engine returns a `LabelDensity` (density.py): the density p(y) of the label and the densities of
E[w_i; y] and E[w_i w_j - delta_ij; y], tabulated between the singular values of the label, and its atoms.
`density.quadrature()` gives the `LabelQuadrature`; `density.mass` should be 1. All take `level` (>= 1:
the spacing of all rules is divided by it); compare two levels, and the mass with 1.

- ``branches.Term(value=, derivative=, points=, tracked=True)``: one single-index piece g(w), vectorised
  callables; `points` are all its critical points, kinks and jumps (for products its zeros too); constant
  pieces (atoms) are allowed. ``branches.term_density(term, level=, extra=())`` is its law.
- ``sums.sum_density(terms, noise=0.0, level=1)``: sum_i g_i(w_i) + noise * xi, any number of terms.
- ``products.product_density(terms, level=1)``: prod_i g_i(w_i), any number of factors.
- ``extremes.extreme_density(terms, largest=, level=1)``: max_i g_i(w_i) or min_i g_i(w_i).
- ``convolution.added(a, b)``, ``convolution.multiplied(a, b)``: sum and product of two independent labels;
  the coordinates of a come first. Any expression in which each coordinate occurs once.
- ``composition.composed_density(outer, density, extra=())``: y = h(t), t a label with a known law, h a
  `Term`.
- ``radial.planar_density(shape, degree, breaks, level=1)``: g homogeneous in two coordinates;
  shape(theta) = g(cos, sin), `breaks` its zeros and kinks.
- ``radial.spatial_density(value, degree, normals, level=1)``: g homogeneous in three coordinates;
  `normals` of the planes through 0 where g has a zero or a kink.
- ``polygons.polygon_density(value, lines, level=1)``: g(w1, w2) linear off the lines a w1 + b w2 = c; jumps
  and flat parts are allowed.
- ``planar.planar_density(value, lines=(), extra=(0.0,), level=1, fine=False, mirrors=())``: any g(w1, w2)
  that is smooth off the lines; critical values and limits far out are found; levels from 0.4 on give 1e-7.
- ``smoothed.smoothed_density(density, noise)``: y = g(w) + noise * xi for any of the above.
- ``montecarlo.sampled_threshold(value, dimension, ...)``: anything else; an estimate and its standard error.
"""
