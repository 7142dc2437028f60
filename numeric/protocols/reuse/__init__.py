"""The protocol `reuse`: gradient descent that sees a sample more than once."""
