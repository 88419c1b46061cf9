"""The class: who should have handed in, until when, and which attempt counts."""
