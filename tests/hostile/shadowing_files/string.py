print("the library was shadowed")
