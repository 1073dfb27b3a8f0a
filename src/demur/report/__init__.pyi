from .document import Report as Report
from .dossier import Dossier as Dossier
from .model import DataSource as DataSource
