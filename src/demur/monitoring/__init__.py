"""A policy in use: do the scores look as before, what does keeping the window cost, is the promise kept?

`PolicyMonitor` takes batches of scores, and labels as they arrive. `drift` holds the e-process of
outcomes, blocks and prevalence with its theorem, `actions` that of rules without a single score,
`betting` the confidence sequence of the cost, `rates` that of a share, `mixture` the prevalence by
maximum likelihood, `scale` the warnings about scores on another scale, `recent` the last batches
alone, `audit` the draw of cases to label, `labels` the labels that came back, `state` the file, `page`
and `drawing` the page. `judge_policy` judges a policy of any rule on one labelled sample.

Imports: windows, surface, costs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
