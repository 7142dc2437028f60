"""The protocol `full-batch`: gradient descent on one data set, with its matrix or by the exact law."""
