"""Learning a target of three layers at finite size: with fixed features, two layers, three, or a spectrum."""
