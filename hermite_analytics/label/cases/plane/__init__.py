"""Labels of two coordinates: level curves, regions, smooth laws."""
