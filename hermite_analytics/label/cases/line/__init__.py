"""Labels of one coordinate: preimages between monotone pieces, smooth laws given the coordinate."""
