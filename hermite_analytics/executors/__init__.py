"""Where work is done: in this process, in others of this machine, on a cluster, or where a caller says."""
