"""Node 2, the law of a label y = g(w), w ~ N(0, I_q): what is exact of it, and its law in numbers.

From the ground floor up; each folder may import those above it in this list:

- `moments.py`, `nodes.py`, `quadrature.py`, `operator.py`: what a case hands on. A `LabelQuadrature` gives
  the operator of thresholds, `LabelNodes` the points z of each label with their probabilities, for state
  evolution; `LabelCase.at(labels)` the moments of a data set at any omega and V, for AMP and the spectral
  method. What a case loses of the total probability is a `mass_defect`, and a part of every error.
- `structure.py`: where what a label looks like changes with what is known.
- ``exact``: pieces, zeros, preimages and cells of a label, and `ConditionalLaw`.
- ``reduction``: equivalent labels, in the coordinates in which they are simplest.
- ``cases``: laws in numbers, one folder a shape.

  - ``line``: one coordinate: preimages between monotone pieces; laws that are smooth given the coordinate.
  - ``values``: finitely many values on boxes, alone or beside one continuous coordinate.
  - ``plane``: two coordinates: level curves, regions between curves, noise.
  - ``space``: three coordinates: level surfaces.
  - ``parts``: independent parts in sums, products, extremes, images and noise, as tabulated laws.
  - ``homogeneous``: homogeneous labels of two and of three coordinates, by the circle and the sphere.
  - ``sampled``: any form: solved along lines, or sampled.
- ``orders``: the generative exponent and the grand staircase, with their proofs.
- ``thresholds``: `weak_recovery`: closed forms first, then the operator of a case.
- ``channel``: the first case that takes a target, prepared for state evolution, AMP and the spectral method.
"""
