"""Node 2, the law of a label y = g(w), w ~ N(0, I_q): labels with their probabilities, and w given each.

A case of a label hands on a `LabelQuadrature` (quadrature.py: the operator of thresholds) or a `LabelDensity`
(parts/density.py: tables between the singular values of the label, from which others are made), and for state
evolution and AMP the points z of each label with their probabilities. What a case loses of the total
probability is its `mass_defect`.

- ``line``: one coordinate: preimages between monotone pieces; laws that are smooth given the coordinate.
- ``boxes.py``, ``joint.py``: finitely many values on boxes, alone or beside one continuous coordinate.
- ``plane``: two coordinates: level curves, regions between curves, noise.
- ``space``: three coordinates: level surfaces.
- ``parts``: independent parts in sums, products, extremes, images and noise, as tabulated laws.
- ``homogeneous``: homogeneous labels of two and of three coordinates, by the circle and the sphere.
- ``sampled``: any form: solved along lines, or sampled in sorted bins.
"""
