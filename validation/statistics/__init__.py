"""How data decide: intervals, equivalence tests, extrapolation in the dimension, and the rules of claims."""
