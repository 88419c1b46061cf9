"""What every package may use: errors, files, archives, CSV, escaping, serialisation."""
