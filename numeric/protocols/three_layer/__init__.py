"""The protocol `three-layer`: what each number of trained layers makes of a target of three layers."""
