"""Spectra at d -> infinity: of features, kernels and weights."""
