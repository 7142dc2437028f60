"""Means at several sizes d, and their limit d -> infinity."""
