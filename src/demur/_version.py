"""The version, kept apart so that every module can name it."""

__version__ = "0.3.0"
