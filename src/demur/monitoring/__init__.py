"""A policy in use: do the scores look as before, what does keeping the window cost, is the promise kept?

`PolicyMonitor` takes batches of scores, and labels as they arrive. `drift` holds the e-process of
outcomes, blocks and prevalence with its theorem, `reference` what a window expects to see, `actions` what a
rule without a single score does, `betting` the confidence sequences of cost and shares, `mixture` the
prevalence by maximum likelihood and whether it explains a change, `labels` the draw of cases to label and
the labels that came back, `state` the file, `alarms` the sentences, `page` the page. `judge_policy` judges a
policy of any rule on one labelled sample.

Imports: windows, surface, costs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
