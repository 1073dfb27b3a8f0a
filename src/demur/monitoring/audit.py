"""Which decided cases get a label: a random part that can be drawn again.

A case is drawn if the hash of its key, as a number in [0, 1), lies below the share. With a secret or
at least arbitrary seed the draws are independent of scores and classes, and whoever knows seed and key
can check them. Labels then count with 1 / probability (Horvitz and Thompson 1952,
doi:10.1080/01621459.1952.10483446).
"""

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from demur._checks import input_error
from demur.typing import BoolArray

__all__ = ["Audit"]

_BYTES = 8


@dataclass(frozen=True, kw_only=True)
class Audit:
    """A random part of the decided cases whose true class is asked for.

    Attributes
    ----------
    share : float
        Probability of being drawn, above 0 and at most 1.
    seed : str
        Another seed draws other cases.
    """

    share: float
    seed: str = ""

    def __post_init__(self) -> None:
        """Refuse a share that draws nobody."""
        if not (math.isfinite(self.share) and 0 < self.share <= 1):
            raise input_error(
                "audit", "must be above 0 and at most 1", f"{self.share:g}", "0.01 asks for one in a hundred."
            )

    def drawn(self, keys: Iterable[str]) -> BoolArray:
        """Tell for every key whether its case is drawn."""
        secret = hashlib.sha256(self.seed.encode()).digest()
        limit = round(self.share * 2 ** (8 * _BYTES))
        hashes = (
            hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=_BYTES, key=secret).digest()
            for key in keys
        )
        return np.fromiter((int.from_bytes(each, "big") < limit for each in hashes), dtype=np.bool_)
