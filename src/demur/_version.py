"""The version, kept apart so that every module can name it."""

__version__ = "0.2.0.dev0"
