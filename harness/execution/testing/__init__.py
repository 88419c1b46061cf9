"""Tests in a process of their own, beside a program: the course's, and those handed in."""
