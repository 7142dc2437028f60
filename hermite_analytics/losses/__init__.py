"""The losses with names: one record each, in `named/`."""
