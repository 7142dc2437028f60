"""Simpler labels that say the same: in their own coordinates, of ordinary size, without known parts."""
