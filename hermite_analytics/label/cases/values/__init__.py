"""Coordinates that enter through finitely many values: boxes, alone or beside a continuous coordinate."""
