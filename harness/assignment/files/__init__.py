"""The files of a spec folder that are not scenarios."""
