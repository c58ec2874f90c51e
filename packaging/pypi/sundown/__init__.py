"""sundown, a deprecation linter for API payloads. The package contains the program; `python -m sundown` runs it."""

from importlib.metadata import version

__version__ = version("sundown")
