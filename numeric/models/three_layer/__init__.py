"""Overlaps and errors of networks that learn a target of three layers."""
