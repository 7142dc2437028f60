"""Labels that are linear in the other coordinates, noise included, once a few are given."""
