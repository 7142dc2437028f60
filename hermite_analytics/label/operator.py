"""The linearised state evolution M -> E[G M G] on symmetric matrices, from a label quadrature.

Source: 2405.15480 (multi-index weak recovery); with G(y) = E[w w^T - I | y], 1/alpha_c is its largest
eigenvalue. It maps positive semi-definite matrices to such ones, so a leading eigen-matrix may be taken so.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["matrix_of_products", "operator_matrix", "symmetric_basis", "top_eigenvalue"]


@functools.cache
def symmetric_basis(dimension: int) -> Array:
    """An orthonormal basis of Sym_q, as an array of shape (q (q + 1) / 2, q, q).

    Examples
    --------
    >>> symmetric_basis(2).shape
    (3, 2, 2)
    """
    matrices = []
    for i in range(dimension):
        for j in range(i + 1):
            e = np.zeros((dimension, dimension))
            e[i, j] = e[j, i] = 1.0 if i == j else math.sqrt(0.5)
            matrices.append(e)
    basis = np.array(matrices)
    basis.flags.writeable = False
    return basis


def operator_matrix(quadrature: LabelQuadrature) -> Array:
    """The symmetric matrix of M -> E[G M G] in `symmetric_basis`.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.ones((2, 1, 1))
    >>> nodes = LabelQuadrature(weights=np.array([0.5, 0.5]), first=np.zeros((2, 1)), second=one)
    >>> operator_matrix(nodes).tolist()
    [[1.0]]
    """
    q = quadrature.dimension
    g = quadrature.second.reshape(len(quadrature.weights), q * q)
    return matrix_of_products(((quadrature.weights[:, None] * g).T @ g).reshape(q, q, q, q))


def matrix_of_products(products: Array) -> Array:
    """The same from E[G (x) G], shape (q, q, q, q)."""
    basis = symmetric_basis(len(products))
    # tr(A G B G) = A_ij G_jk B_kl G_li
    found = np.einsum("aij,kijl,bkl->ab", basis, products, basis, optimize=True)
    if not np.all(np.isfinite(found)):
        raise UnsupportedExpression("labels of such sizes are beyond the range of double precision")
    return np.asarray((found + found.T) / 2)


def top_eigenvalue(quadrature: LabelQuadrature) -> float:
    """1/alpha_c: the largest eigenvalue of M -> E[G M G]; 0 if G vanishes."""
    return max(0.0, float(np.linalg.eigvalsh(operator_matrix(quadrature))[-1]))
