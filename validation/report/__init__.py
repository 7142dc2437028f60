"""What a campaign decided, written down: one page, plots, junit."""
