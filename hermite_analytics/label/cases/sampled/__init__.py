"""Labels of any form: solved along lines, or sampled."""
