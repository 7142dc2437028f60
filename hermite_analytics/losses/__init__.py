"""Losses: those with names, one record each in `named/`, and those given as text."""
