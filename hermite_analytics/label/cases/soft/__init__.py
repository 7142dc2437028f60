"""Labels with a law given the coordinates that is smooth off breaks: noise in them."""
