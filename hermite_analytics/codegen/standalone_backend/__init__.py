"""The standalone back end: one readable file that needs numpy only."""
