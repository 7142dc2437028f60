"""Bayes-optimal learning of a target: what message passing finds, on data and in the limit d -> infinity.

- ``moments``: g_out and its derivative for each sample, at any omega and V.
- ``maps``: F(M) = E[g_out g_out^T] for each kind of label.
- ``state_evolution``: the fixed points of M -> alpha F (I + alpha F)^-1.
- ``amp``: approximate message passing and the spectral method.
"""
