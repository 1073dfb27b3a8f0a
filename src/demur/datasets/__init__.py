"""Data to try demur on: generators with known properties."""
