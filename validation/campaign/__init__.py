"""The cells of a suite, computed and kept until every claim is decided: batches, workers, store, outcomes."""
