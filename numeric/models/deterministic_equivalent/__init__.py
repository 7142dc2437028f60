"""Random-feature ridge regression by deterministic equivalents: errors at finite sizes, and exponents."""

from __future__ import annotations
