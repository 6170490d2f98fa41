#!/usr/bin/env python3
"""Writes the instruction tests: generate.py [CHAPTER …]. Standard library only. See README.md."""
import importlib
import os
import pkgutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generator  # noqa: E402

TOOLS = ("emit", "floats", "values")
chapters = sorted(m.name for m in pkgutil.iter_modules(generator.__path__) if m.name not in TOOLS)
for chapter in sys.argv[1:] or chapters:
    if chapter not in chapters: sys.exit("generate.py: no chapter '%s'; there are: %s" % (chapter, ", ".join(chapters)))
    importlib.import_module("generator." + chapter).generate()
