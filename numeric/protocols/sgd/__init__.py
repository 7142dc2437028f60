"""The protocol `sgd`: one sample a step, each sample once or at a look-ahead."""
