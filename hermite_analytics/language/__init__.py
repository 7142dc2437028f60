"""The language of targets and activations: functions, parser, growth."""
