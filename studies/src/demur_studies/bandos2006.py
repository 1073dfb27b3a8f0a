"""Bandos, Rockette and Gur (2006): what resampling variances of the AUC are worth, by simulation.

The paper states conclusions of simulations it does not print; each becomes a cell, judged on
binormal samples whose settings stand beside it.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from demur._kernels.jit import whole_job
from demur._progress import Progress
from demur.auc.difference import auc_difference_test, auc_difference_variances
from demur.auc.one import auc_variance
from demur.counts.scores import ScoreCounts
from demur.exceptions import DegenerateDataWarning
from demur.roc.curve import auc_score
from demur.typing import BoolArray, FloatArray
from demur_studies._study import Cell, Figure, Reproduction

if TYPE_CHECKING:
    from demur_studies._data import PaperData

__all__ = ["PUBLISHED", "REFERENCE", "TITLE", "run"]

TITLE = "Resampling Methods for the Area Under the ROC Curve"
REFERENCE = (
    "Bandos, Rockette, Gur: Resampling Methods for the Area Under the ROC Curve, ROCML workshop at ICML 2006."
)

# No tables: conclusions in words, with the section that states them.
PUBLISHED = {
    "Section 3.1, order": "a one-sample jackknife variance is always larger than the two-sample one",
    "Section 3.1, bias": "the two-sample jackknife variance is greater than the unbiased estimator and "
    "thus has an upward bias",
    "Section 3.1, difference": "for the difference between AUCs the bootstrap variance has lower mean "
    "squared error than the jackknife",
    "Section 3.2, relation": "there is no uniform relationship between the bootstrap variance and that of "
    "any of the jackknives",
    "Section 3.2, error": "the bootstrap variance has uniformly smaller mean squared error",
    "Section 3.2, bias": "the bootstrap variance also has a smaller bias except for very large AUC",
    "Section 3.3, precision": "the approximation of the permutation test is very precise even with small "
    "samples",
    "Section 3.3, power": "advantages of the permutation test over the procedure of DeLong et al. for AUC "
    "greater than 0.8 and correlation greater than 0.4",
    "Section 1, level": "the upward bias of DeLong's variance improves the type I error of the test when "
    "AUCs are small",
    "Section 1, power": "and results in loss of statistical power when AUCs are large",
}

_METHODS = ("unbiased", "delong", "jackknife", "bootstrap")
_LEVEL = 0.05
_AUCS = (0.70, 0.85, 0.95)


@dataclass(frozen=True)
class _Setting:
    """Two systems with these AUCs score n negatives and n positives, correlated within a class."""

    auc_a: float
    auc_b: float
    correlation: float
    n: int

    def __str__(self) -> str:
        aucs = f"AUC {self.auc_a:g}" + ("" if self.auc_a == self.auc_b else f" against {self.auc_b:g}")
        return f"{aucs}, correlation {self.correlation:g}, N = M = {self.n}"


_EQUAL = tuple(_Setting(auc, auc, 0.5, 20) for auc in _AUCS)
_INSIDE = (_Setting(0.85, 0.93, 0.6, 30), _Setting(0.90, 0.97, 0.6, 30))
_OUTSIDE = _Setting(0.65, 0.78, 0.2, 30)
_SMALL = _Setting(0.80, 0.93, 0.5, 20)


@dataclass(frozen=True)
class _Sampled:
    """Element [k, j] of the tables belongs to replicate k and variance j."""

    single: FloatArray  # variances of one AUC, in the order of _METHODS
    difference: FloatArray  # variances of the difference, the permutation variance last
    gap: FloatArray  # the observed difference

    def rejected(self) -> FloatArray:
        """Share of nominal 5 % tests that reject, per variance of the difference."""
        return np.asarray(self._rejections().mean(axis=0))

    def advantage(self, first: int, second: int) -> tuple[float, float]:
        """Mean and standard error of (first rejects) - (second rejects)."""
        hits = self._rejections()
        change = hits[:, first] * 1.0 - hits[:, second]
        return float(change.mean()), float(change.std(ddof=1) / math.sqrt(len(change)))

    def _rejections(self) -> BoolArray:
        from scipy.special import ndtri

        # a variance that is 0 or, for the unbiased one, negative rejects unless the difference is 0
        spread = np.sqrt(np.maximum(self.difference, 0))
        return np.asarray(np.abs(self.gap)[:, None] > -ndtri(_LEVEL / 2) * spread)


def run(*, quick: bool, data: "PaperData", rng: np.random.Generator) -> Reproduction:
    """Simulate, then judge the statements of the paper one by one."""
    replicates = 600 if quick else 5000
    settings = (*_EQUAL, *_INSIDE, _OUTSIDE)
    with Progress(len(settings) * replicates, "simulating") as progress, warnings.catch_warnings():
        # the paper exchanges scores; in small samples their spreads differ by chance alone
        warnings.filterwarnings("ignore", "the two models score on different scales", DegenerateDataWarning)
        # every setting has random numbers of its own: a run that was stopped goes on with the next one
        *streams, last = rng.spawn(len(settings) + 1)
        samples = {
            setting: _finished(data, setting, replicates, stream, progress, single=setting in _EQUAL)
            for setting, stream in zip(settings, streams, strict=True)
        }
        close = _approximation(150 if quick else 1000, last)
    single = {setting: _errors(samples[setting].single) for setting in _EQUAL}
    paired = {setting: _errors(samples[setting].difference[:, :4]) for setting in _EQUAL}
    cells = [
        *_order_cells(samples),
        _error_cell("Section 3.1, difference", paired),
        _relation_cell(samples),
        _error_cell("Section 3.2, error", single),
        *_bias_cells(single, paired),
        _precision_cell(close),
        *_power_cells(samples),
    ]
    return Reproduction(
        cells=tuple(cells),
        figures=(
            Figure(
                "bias",
                "Relative bias and relative root mean squared error of four variances of the AUC and of the "
                "difference of two AUCs, N = M = 20, correlation 0.5.",
                lambda: _draw_errors(single, paired),
            ),
            Figure(
                "power",
                "How often nominal 5 % tests of equal AUCs reject; lines are two standard errors.",
                lambda: _draw_power(samples),
            ),
        ),
        remarks=(
            f"{replicates} binormal samples per setting; the mean of the unbiased variance is the truth.",
            "The settings are chosen here: the paper gives none.",
        ),
    )


def _finished(
    data: "PaperData",
    setting: _Setting,
    replicates: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    single: bool,
) -> _Sampled:
    """The samples of a setting, from the finished parts if it is among them."""

    def simulated() -> dict[str, Any]:
        made = _simulated(setting, replicates, rng, progress, single=single)
        return {name: getattr(made, name).tolist() for name in ("single", "difference", "gap")}

    key = f"bandos2006 {setting} {replicates} {single} {rng.bit_generator.seed_seq}"
    kept = data.finished.part(key, simulated)
    return _Sampled(
        single=np.array(kept["single"]).reshape(-1, len(_METHODS)),
        difference=np.array(kept["difference"]),
        gap=np.array(kept["gap"]),
    )


def _simulated(
    setting: _Setting, replicates: int, rng: np.random.Generator, progress: Progress, *, single: bool
) -> _Sampled:
    single_auc = np.empty((replicates, len(_METHODS)))
    paired = np.empty((replicates, len(_METHODS) + 1))
    gap = np.empty(replicates)
    with whole_job(replicates * 2 * setting.n):
        for k in range(replicates):
            y, a, b = _binormal_pair(setting, rng)
            first, second = (ScoreCounts.from_arrays(y, scores) for scores in (a, b))
            if single:
                single_auc[k] = [auc_variance(first, method=method) for method in _METHODS]
            variances = auc_difference_variances(y, a, b, exchange="scores")
            paired[k] = [variances[method] for method in (*_METHODS, "permutation")]
            gap[k] = auc_score(first) - auc_score(second)
            progress.advance()
    return _Sampled(single=single_auc if single else np.empty((0, 4)), difference=paired, gap=gap)


def _binormal_pair(setting: _Setting, rng: np.random.Generator) -> tuple[FloatArray, ...]:
    from scipy.special import ndtri

    y = np.repeat([0, 1], setting.n)
    shared, own = rng.normal(size=len(y)), rng.normal(size=(2, len(y)))
    noise = math.sqrt(setting.correlation) * shared + math.sqrt(1 - setting.correlation) * own
    # AUC = Phi(shift / sqrt(2))
    shifts = math.sqrt(2) * ndtri([setting.auc_a, setting.auc_b])
    return (y, *(noise + shifts[:, None] * y))


def _errors(variances: FloatArray) -> dict[str, dict[str, float]]:
    """Relative bias and relative root mean squared error of each variance."""
    truth = variances[:, 0].mean()
    off = variances / truth - 1
    return {
        method: {"bias": float(off[:, j].mean()), "error": float(np.sqrt((off[:, j] ** 2).mean()))}
        for j, method in enumerate(_METHODS)
    }


def _approximation(replicates: int, rng: np.random.Generator) -> FloatArray:
    """Exact and approximate p-values of the permutation test, one row per sample."""
    pairs = np.empty((replicates, 2))
    for k in range(replicates):
        y, a, b = _binormal_pair(_SMALL, rng)
        tests = (auc_difference_test(y, a, b, exchange="scores", computation=how) for how in (None, "normal"))
        pairs[k] = [test.pvalue for test in tests]
    return pairs


# ---------------------------------------------------------------- cells


def _order_cells(samples: Mapping[_Setting, _Sampled]) -> list[Cell]:
    parts = [part.difference[:, :4] for part in samples.values()]
    parts += [part.single for part in samples.values() if len(part.single)]
    everything = np.vstack(parts)
    unbiased, delong, jackknife, _ = everything.T
    always = bool(np.all(jackknife >= delong - 1e-15))
    above = bool(np.all(delong >= unbiased - 1e-15))
    mean = float(delong.mean() / unbiased.mean() - 1)
    larger = float(jackknife.mean() / delong.mean() - 1)
    checked = f"{len(everything)} samples in {len(samples)} settings"
    return [
        Cell.claim(
            "Section 3.1, order",
            claim=PUBLISHED["Section 3.1, order"],
            holds=always,
            computed=f"never smaller; larger by {larger:.1%} on average",
            checked=checked,
        ),
        Cell.claim(
            "Section 3.1, bias",
            claim=PUBLISHED["Section 3.1, bias"],
            holds=above and mean > 0,
            computed=f"never below the unbiased estimate; {mean:+.1%} on average",
            checked=checked,
        ),
    ]


def _relation_cell(samples: Mapping[_Setting, _Sampled]) -> Cell:
    parts = np.vstack([part.single for part in samples.values() if len(part.single)])
    below = [float(np.mean(parts[:, 3] < parts[:, j])) for j in (1, 2)]
    return Cell.claim(
        "Section 3.2, relation",
        claim=PUBLISHED["Section 3.2, relation"],
        holds=all(0 < share < 1 for share in below),
        computed=f"below the two-sample jackknife in {below[0]:.1%} and below the one-sample one in "
        f"{below[1]:.1%} of the samples",
        checked=f"{len(parts)} samples, one AUC",
    )


def _error_cell(where: str, errors: Mapping[_Setting, dict[str, dict[str, float]]]) -> Cell:
    smaller = {
        setting: all(part["bootstrap"]["error"] < part[other]["error"] for other in ("delong", "jackknife"))
        for setting, part in errors.items()
    }
    words = "; ".join(
        f"AUC {setting.auc_a:g}: {part['bootstrap']['error']:.3f} against {part['delong']['error']:.3f} and "
        f"{part['jackknife']['error']:.3f}"
        for setting, part in errors.items()
    )
    return Cell.claim(
        where,
        claim=PUBLISHED[where],
        holds=all(smaller.values()),
        computed=f"relative root mean squared errors, two- and one-sample jackknife last: {words}",
        checked="N = M = 20, correlation 0.5",
    )


def _bias_cells(
    single: Mapping[_Setting, dict[str, dict[str, float]]],
    paired: Mapping[_Setting, dict[str, dict[str, float]]],
) -> list[Cell]:
    known = "for the difference the bias of the bootstrap has passed the jackknife's at AUC 0.85 already"
    cells = []
    for where, errors in (("one AUC", single), ("difference", paired)):
        pairs = [(part["bootstrap"]["bias"], part["delong"]["bias"]) for part in errors.values()]
        words = "; ".join(
            f"AUC {auc:g}: {boot:+.3f} against {jack:+.3f}"
            for auc, (boot, jack) in zip(_AUCS, pairs, strict=True)
        )
        smaller = [abs(boot) < abs(jack) for boot, jack in pairs]
        cells.append(
            Cell.claim(
                f"Section 3.2, bias, {where}",
                claim=PUBLISHED["Section 3.2, bias"],
                # very large: 0.95 only
                holds=smaller == [True, True, False],
                computed=f"relative biases, two-sample jackknife last: {words}",
                checked="N = M = 20, correlation 0.5; the exception is taken to be AUC 0.95",
                known=known if where == "difference" else "",
            )
        )
    return cells


def _precision_cell(pvalues: FloatArray) -> Cell:
    exact, normal = pvalues.T
    same = float(np.mean((exact <= _LEVEL) == (normal <= _LEVEL)))
    away = np.abs(exact - normal)
    return Cell.claim(
        "Section 3.3, precision",
        claim=PUBLISHED["Section 3.3, precision"],
        holds=same >= 0.95,
        computed=f"the same decision at 5 % in {same:.1%} of the samples; p-values {np.median(away):.3f} "
        f"apart (median), {away.max():.3f} at most; the exact ones are larger by the share of equal outcomes",
        checked=f"{len(away)} samples, {_SMALL}; precise: the same decision in 95 %",
    )


def _power_cells(samples: Mapping[_Setting, _Sampled]) -> list[Cell]:
    """Column 0 of the rejections is the unbiased variance, 1 DeLong's, 4 the permutation variance."""
    inside = {setting: samples[setting].advantage(4, 1) for setting in _INSIDE}
    outside = samples[_OUTSIDE].advantage(4, 1)
    level = {setting: samples[setting].rejected() for setting in _EQUAL}
    lost = {setting: samples[setting].advantage(1, 0) for setting in _INSIDE}
    small = level[_EQUAL[0]]
    checked = "rejection rates of nominal 5 % tests on the same samples"
    return [
        Cell.claim(
            "Section 3.3, power",
            claim=PUBLISHED["Section 3.3, power"],
            holds=all(mean > 0 for mean, _ in inside.values()),
            computed=f"gain in power: {_listed(inside)}; outside that range ({_OUTSIDE}): {outside[0]:+.3f} "
            f"(s.e. {outside[1]:.3f})",
            checked=checked,
        ),
        Cell.claim(
            "Section 1, level",
            claim=PUBLISHED["Section 1, level"],
            # closer to 5 %, or on the safe side of it
            holds=bool(abs(small[1] - _LEVEL) < abs(small[0] - _LEVEL) or small[0] > _LEVEL >= small[1]),
            computed=f"AUC 0.7: {small[1]:.3f} with DeLong's variance, {small[0]:.3f} with the unbiased one",
            checked=checked,
            known="the two levels differ by less than this simulation resolves (standard error "
            f"{math.sqrt(_LEVEL * (1 - _LEVEL) / len(samples[_EQUAL[0]].gap)):.3f})",
        ),
        Cell.claim(
            "Section 1, power",
            claim=PUBLISHED["Section 1, power"],
            holds=all(mean < 0 for mean, _ in lost.values()),
            computed=f"DeLong's minus unbiased: {_listed(lost)}",
            checked=checked,
        ),
    ]


def _listed(changes: Mapping[_Setting, tuple[float, float]]) -> str:
    return "; ".join(
        f"{setting}: {mean:+.3f} (s.e. {error:.3f})" for setting, (mean, error) in changes.items()
    )


# ---------------------------------------------------------------- figures


def _draw_errors(
    single: Mapping[_Setting, dict[str, dict[str, float]]],
    paired: Mapping[_Setting, dict[str, dict[str, float]]],
) -> Any:
    from demur.displays.base import GUIDE, axes_table, axis_words, series_style

    figure, table = axes_table(None, (2, 2), (8.4, 6.4))
    for row, (what, errors) in enumerate((("one AUC", single), ("difference", paired))):
        aucs = [setting.auc_a for setting in errors]
        for column, (key, words) in enumerate(
            (("bias", "relative bias"), ("error", "relative error (RMSE)"))
        ):
            ax = table[row, column]
            for index, method in enumerate(_METHODS):
                values = [part[method][key] for part in errors.values()]
                ax.plot(aucs, values, marker="o", ms=4, label=_WORDS[method], **series_style(index))
            if key == "bias":
                ax.axhline(0, color=GUIDE, lw=0.8, zorder=0)
            axis_words(ax, "true AUC" if row else "", f"{words}, {what}")
            ax.set_xticks(aucs)
    _legend(figure, table[0, 0])
    return figure


_WORDS = {
    "unbiased": "unbiased (Bamber, Wieand)",
    "delong": "two-sample jackknife (DeLong)",
    "jackknife": "one-sample jackknife",
    "bootstrap": "ideal bootstrap",
    "permutation": "permutation",
}


def _legend(figure: Any, ax: Any) -> None:
    handles, _ = ax.get_legend_handles_labels()
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False, fontsize="small")


def _draw_power(samples: Mapping[_Setting, _Sampled]) -> Any:
    from demur.displays.base import GUIDE, SERIES, axis_words, legend_below, new_axes

    figure, ax = new_axes(None, size=(7.6, 5.4))
    settings: Sequence[_Setting] = list(samples)
    names = (*_METHODS, "permutation")
    for index, name in enumerate(names):
        rates = np.array([samples[setting].rejected()[index] for setting in settings])
        errors = 2 * np.sqrt(rates * (1 - rates) / len(samples[settings[0]].gap))
        places = np.arange(len(settings)) + (index - 2) * 0.13
        style = {"fmt": "osD^v"[index], "ms": 5, "color": SERIES[index], "capsize": 0}
        ax.errorbar(rates, places, xerr=errors, label=_WORDS[name], **style)
    ax.axvline(_LEVEL, color=GUIDE, lw=1, zorder=0)
    ax.set_yticks(range(len(settings)), [_two_lines(setting) for setting in settings], fontsize="small")
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    axis_words(ax, "share of tests that reject at 5 %", "")
    legend_below(ax, columns=2)
    return figure


def _two_lines(setting: _Setting) -> str:
    first, rest = str(setting).split(", ", 1)
    return f"{first}\n{rest}"
