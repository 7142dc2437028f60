"""Homogeneous labels of two and of three coordinates: by the circle and the sphere."""
