"""The protocol `small-step`: gradient steps of order 1 on the first layer, then ridge regression."""
