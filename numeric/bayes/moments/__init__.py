"""log Z, g_out and -d g_out/d omega of each sample, at any omega and V, for each kind of label."""
