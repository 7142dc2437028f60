"""Dynamical mean-field theory of full-batch gradient descent: a network that sees its samples again."""

from __future__ import annotations
