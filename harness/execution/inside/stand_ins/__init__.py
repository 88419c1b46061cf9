"""The course's modules in a process of their own, and the proxies that reach them."""
