"""The protocol `spectral`: the spectral method on data of a teacher."""
