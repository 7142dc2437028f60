"""Random features and Gaussian covariates with any convex loss, at d -> infinity."""
