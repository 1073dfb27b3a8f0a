"""Costs measured on cases not used to choose the rule, with intervals, bands, tests and certificates.

A surface is a minimum over windows, so on the cases that chose the windows it is too small. This
subpackage splits the cases into folds, chooses on nine and scores on the tenth: for the windows of all
costs (`cross_fitting`), and for those of any learner (`evaluate`). It turns the fold tables into bands and
paired tests, losses into mean costs with intervals (`estimates`) and into the cost of a choice
(`after_choice`), and bounds the true cost without asymptotics (`certificates`).

Imports: paired, windows, surface, roc, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
