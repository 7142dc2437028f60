"""The protocol `random-features`: a readout on the features of a first layer that is not trained."""
