"""The types that all packages share: frozen values without behaviour of their own. Nothing here
does I/O or imports another package, apart from `harness.common`."""
