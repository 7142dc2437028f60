"""Labels of three coordinates: level surfaces as weighted points."""
