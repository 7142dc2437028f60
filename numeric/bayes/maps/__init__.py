"""F(M) = E[g_out g_out^T] over omega ~ N(0, M) and y given omega, for each kind of label."""
