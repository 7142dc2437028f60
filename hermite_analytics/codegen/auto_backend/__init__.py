"""Few points by arrays at once, many by compiled loops."""
