"""The ground floor: time. What runs long looks at a clock."""
