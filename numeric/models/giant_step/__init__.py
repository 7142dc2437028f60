"""One gradient step of order d on the first layer."""
