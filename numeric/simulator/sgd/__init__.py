"""Gradient descent on the first layer at finite size: one pass (`sgd`), and data reuse (`reuse`)."""
