"""The protocol `spiked-random-features`: the spiked random-feature model itself, with a ridge readout."""
