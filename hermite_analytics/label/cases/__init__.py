"""Laws of labels in numbers, one folder for each shape of label."""
