"""The shape of every YAML file: models, checks, messages, the published JSON Schema."""
