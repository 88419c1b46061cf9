"""An observation beside its expectation: what differs, as data."""
