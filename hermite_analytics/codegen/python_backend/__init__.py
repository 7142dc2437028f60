"""The python back end: plain Python over mpmath at 30 digits, slow, the reference of the others."""
