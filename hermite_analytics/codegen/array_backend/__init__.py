"""The array back end: source over any array-API namespace (numpy, torch, cupy, array-api-strict)."""
