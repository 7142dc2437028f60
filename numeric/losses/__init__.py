"""Convex losses as compiled code calls them: by records where they have a name, else generated."""
