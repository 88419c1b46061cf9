"""Every YAML file as strict pydantic models: names, types, what may be left out."""
