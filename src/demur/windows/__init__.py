"""Windows a user asks for: cheapest under limits, for ranges of costs, with a promised precision.

`search` finds the cheapest window under limits and `range_search` the one of smallest regret or
worst cost over several cost points, both exactly, on running masses; `cheapest`, `ranges` and
`promised` put names and checks around them. `certified` promises precision for the population
with confidence. `reliable` follows Vanderlooy, Sprinkhuizen-Kuyper, Smirnov (2006): points of the
ROC hull, reached by chance where no threshold does. `rule` lists what a policy deploys: `Window`,
`ClassRule`, `ExpectedCostRule`, `Combined` of several models, `Cascade`, `Guarded` by a doubt, `Budgeted`,
and `ByGroup`, such a rule for every group; `expression` is the tree of operations that describes their
decisions.

Imports: surface, roc, costs, counts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
