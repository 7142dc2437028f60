"""Labels of r equal parts whose sum of coordinates is known: the law of the label jointly with that sum."""
