"""Make the README the text of the package index, where links need an address: hatchling calls this hook."""

import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?!https?:|#)([^)\s]+\))")


def with_addresses(text: str, source: str) -> str:
    """Return Markdown whose relative links and pictures lead to the repository at `source`."""
    kinds = {"!": "raw", "": "blob"}
    return LINK.sub(lambda link: f"{link[1]}{link[2]}{source}/{kinds[link[1]]}/HEAD/{link[3]}", text)


def get_metadata_hook() -> type:
    """Return the hook; only a build has hatchling."""
    from hatchling.metadata.plugin.interface import MetadataHookInterface

    class IndexReadme(MetadataHookInterface):
        def update(self, metadata: dict[str, Any]) -> None:
            text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
            readme = with_addresses(text, metadata["urls"]["Source"])
            metadata["readme"] = {"content-type": "text/markdown", "text": readme}

    return IndexReadme
