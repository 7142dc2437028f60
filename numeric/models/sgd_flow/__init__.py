"""One-pass gradient flow in the limit d -> infinity: closed equations of the overlaps with the target."""

from __future__ import annotations
