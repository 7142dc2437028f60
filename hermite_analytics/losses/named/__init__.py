"""The losses with names, one file each: its value, its proximal operator, what is known of it."""
