raise SystemExit("the library was shadowed")
