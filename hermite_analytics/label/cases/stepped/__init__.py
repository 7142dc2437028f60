"""Labels of many values that one value in the plane decides on, as a floor does: by its level curves."""
