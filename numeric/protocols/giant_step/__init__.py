"""The protocol `giant-step`: large gradient steps on the first layer, then ridge regression."""
