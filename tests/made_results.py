"""Results by discovery: whatever the examples of the documentation make, and makers for the rest.

A public class of results needs an example that makes one, or a line in `MAKERS`; a test says so.
"""

import contextlib
import dataclasses
import doctest
import io
from functools import cache

import numpy as np

import demur
from demur._results import Result
from public_surface import CLASSES, PUBLIC

RESULTS = {name: value for name, value in CLASSES.items() if issubclass(value, Result)}
Y, SCORE = [0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.3, 0.2, np.inf, 0.3]
SURFACE = demur.abstention_surface(Y, SCORE)


def _risk_curve(loss):
    return demur.cautious.risk_coverage_curve(loss, [0.9, 0.8, 0.7, 0.6])


MAKERS = {
    "AverageCostCurve": lambda: demur.costs.average_cost_curves([demur.cost_curve(Y, SCORE)]),
    "ConsistencyBand": lambda: demur.calibration.reliability_curve(
        [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.8]
    ).consistency_band(n_resamples=10),
    "ConfidenceRule": lambda: demur.cautious.ConfidenceRule(threshold=0.7),
    "GmEstimate": lambda: demur.roc.GmEstimate(value=0.5, m=2),
    "OrdinalSurface": lambda: demur.ordinal_roc([0, 1, 2, 1], [0.1, 0.3, 0.9, 0.4]).surface(),
    "OrdinalVertices": lambda: demur.ordinal_roc([0, 1, 2, 1], [0.1, 0.3, 0.9, 0.4]).surface().vertices(),
    "ReviewedCostCurve": lambda: demur.cost_curve(Y, SCORE).reviewed(0.2, mu=0.5),
    "RiskCoverageDifference": lambda: _risk_curve([0, 0, 1, 1]).minus(_risk_curve([0, 1, 1, 0])),
    "SurfaceCells": lambda: SURFACE.cells(),
    "SurfaceDifference": lambda: SURFACE.minus(SURFACE.trivial()),
    "SurfaceGrid": lambda: SURFACE.grid(4),
}
"""How to make a result that no example of the documentation makes."""


def reachable(value, depth=4):
    """Yield the results, arrays and mappings a value holds, itself first."""
    yield value
    if depth == 0:
        return
    if isinstance(value, Result):
        parts = [getattr(value, field.name) for field in dataclasses.fields(value)]
    elif isinstance(value, dict):
        parts = list(value.values())
    elif isinstance(value, (tuple, list)):
        parts = value
    else:
        return
    for part in parts:
        yield from reachable(part, depth - 1)


SHARED = []
"""Examples in which a result holds an array that the caller can write to; filled by `by_example`."""


def _shared(variables):
    own = [item for item in variables if isinstance(item, np.ndarray) and item.flags.writeable]
    for result in (item for item in variables if isinstance(item, Result)):
        for array in arrays_of(result):
            if any(np.may_share_memory(array, item) for item in own):
                yield type(result).__name__


def _variables(name):
    """Run the examples of a public name; return what they leave behind."""
    value, variables = PUBLIC[name], {}
    test = doctest.DocTestParser().get_doctest(value.__doc__ or "", variables, name, None, None)
    runner = doctest.DocTestRunner(verbose=False)
    with contextlib.redirect_stdout(io.StringIO()):
        runner.run(test, clear_globs=False, out=lambda text: None)
    return [item for key, item in test.globs.items() if not key.startswith("__")]


@cache
def by_example():
    """Return {class of results: one instance} of all examples of public names, the first of each class."""
    made = {}
    remember = Result.__post_init__

    def noted(self):
        remember(self)
        made.setdefault(type(self), self)

    Result.__post_init__ = noted
    try:
        for name in PUBLIC:
            if name.startswith("demur.displays."):
                continue  # they show results that other examples make
            variables = _variables(name)
            for variable in variables:
                for part in reachable(variable):
                    if isinstance(part, Result):
                        made.setdefault(type(part), part)
            SHARED.extend(f"{name}: {kind}" for kind in _shared(variables))
    finally:
        Result.__post_init__ = remember
    return made


@cache
def example_of(name):
    """Return an instance of a public class of results, by its public name; None if nothing makes one."""
    kind = RESULTS[name]
    maker = MAKERS.get(kind.__name__)
    return by_example().get(kind) if maker is None else maker()


def arrays_of(result):
    """Yield every array a result holds."""
    return (part for part in reachable(result) if isinstance(part, np.ndarray))
