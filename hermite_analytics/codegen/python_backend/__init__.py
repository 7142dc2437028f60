"""The reference back end: plain Python over a module of scalar functions (math or mpmath)."""
