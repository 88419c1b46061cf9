"""A run's results: the store, the keys for using results again, and the exports."""
