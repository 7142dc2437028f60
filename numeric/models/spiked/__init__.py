"""Spiked random features: letters of the readout, tables of functions, saddle points."""
