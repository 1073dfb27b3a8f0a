"""The interactive page in which a reader sets the costs: its data, its sentences, its file.

Imports: every room of the domain.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.report.classes import ClassReport
    from demur.report.document import Report
    from demur.report.dossier import Dossier
    from demur.report.model import DataSource

__all__ = [
    "ClassReport",
    "DataSource",
    "Dossier",
    "Report",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
