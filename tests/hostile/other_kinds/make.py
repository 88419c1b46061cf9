"""What each kind of file begins with."""

import io
import zipfile


def make(folder):
    office = io.BytesIO()
    with zipfile.ZipFile(office, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<w:document/>")
    files = {
        "docx": office.getvalue(),
        "ipynb": b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        "pdf": b"%PDF-1.7\n",
        "png": b"\x89PNG\r\n\x1a\n" + bytes(40),
        "elf": b"\x7fELF" + bytes(60),
        "html": b"<!DOCTYPE html><html><body></body></html>",
    }
    for name, data in files.items():
        (folder / name).mkdir()
        (folder / name / "a1.py").write_bytes(data)
