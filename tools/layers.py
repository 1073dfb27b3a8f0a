"""Check the import layers: subpackages, their rank, who imports whom.

`python tools/layers.py` rewrites the picture in docs/architecture.md; a test compares it, and
`python tools/layers.py --check` says in a second what is wrong.
"""

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "demur"
PAGE = ROOT / "docs" / "architecture.md"

# From the lowest up. A subpackage imports from lower layers only; those of one layer do not import
# each other.
LAYERS = (
    ("exceptions", "typing", "_version", "_html"),
    ("_checks", "_results", "_progress"),
    ("_kernels", "_files", "_resampling"),
    ("_tables",),
    ("counts",),
    ("costs", "roc", "calibration", "datasets"),
    ("surface",),
    ("windows", "paired", "cautious", "unlabelled"),
    ("auc", "honest", "engines", "policy"),
    ("ordinal", "regression"),
    ("multiclass",),
    ("comparison",),
    ("estimators", "monitoring", "scoring"),
    ("displays", "report"),
    ("mlflow",),
    ("cli",),
    ("__main__", "__init__"),
)
LAYER_OF = {subpackage: layer for layer, subpackages in enumerate(LAYERS) for subpackage in subpackages}


def module_name(path: Path) -> str:
    """Return the dotted name below demur; a package is named after its folder."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1]) if parts[-1] == "__init__" and len(parts) > 1 else ".".join(parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def subpackage_of(module: str) -> str:
    """Return the subpackage (or top-level module) a module belongs to."""
    return module.split(".")[0]


def imports_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, module of demur) for every import: at the top, inside functions, for types only."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "demur":
                for alias in node.names:
                    yield node.lineno, alias.name if alias.name in MODULES else "__init__"
            elif node.module.startswith("demur."):
                base = node.module.removeprefix("demur.")
                for alias in node.names:
                    inner = f"{base}.{alias.name}"
                    yield node.lineno, inner if inner in MODULES else base
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "demur" or alias.name.startswith("demur."):
                    yield node.lineno, alias.name.removeprefix("demur").removeprefix(".") or "__init__"


def upward_imports(module: str, source: str) -> list[str]:
    """Say which lines of a module import from its own layer or above."""
    subpackage = subpackage_of(module)
    return [
        f"{module}, line {line}: imports {imported}, which is not below {subpackage}"
        for line, imported in imports_of(source)
        if subpackage_of(imported) != subpackage and LAYER_OF[subpackage_of(imported)] >= LAYER_OF[subpackage]
    ]


def graph() -> dict[str, set[str]]:
    """Return every module with the modules it imports, itself left out."""
    edges = {}
    for module, path in MODULES.items():
        edges[module] = {imported for _, imported in imports_of(path.read_text())} - {module}
    return edges


def order_of(edges: dict[str, set[str]]) -> list[str]:
    """Return the modules so that each comes after what it imports; raises CycleError for a circle.

    A package counts as importing nothing here: its `__init__` lists the names of its modules.
    """
    packages = {module for module in edges if MODULES.get(module, Path()).name == "__init__.py"}
    plain = {module: edges[module] - packages for module in edges if module not in packages}
    return list(TopologicalSorter(plain).static_order())


def picture() -> str:
    """Return the table of subpackages for docs/architecture.md: top layer first."""
    below: dict[str, set[str]] = {}
    for module, imports in graph().items():
        below.setdefault(subpackage_of(module), set()).update(subpackage_of(other) for other in imports)
    lines = ["| layer | subpackage | imports |", "|---|---|---|"]
    for layer in range(len(LAYERS) - 2, 2, -1):
        for subpackage in LAYERS[layer]:
            imported = sorted(
                (other for other in below[subpackage] - {subpackage} if LAYER_OF[other] > 2),
                key=lambda other: (-LAYER_OF[other], other),
            )
            lines.append(f"| {layer} | `{subpackage}` | {', '.join(imported)} |")
    return "\n".join(lines)


CORE = {
    "costs.losses": "Losses",
    "windows.limits": "Limits",
    "windows.rule": "Rule, RULES",
    "windows.window_rule": "Window",
    "windows.combined": "Combined",
    "windows.guarded": "Guarded",
    "windows.class_rule": "ClassRule",
    "honest.cases": "SplitCases",
    "honest.evaluate": "Learner, evaluate",
    "honest.estimates": "intervals, differences",
    "honest.after_choice": "cost_after_choice",
    "comparison.problem": "DecisionProblem",
    "comparison.case_table": "CaseTable",
    "comparison.window_learner": "WindowLearner",
    "comparison.class_learner": "ClassLearner",
    "comparison.candidates": "Candidate, LEARNERS",
    "comparison.combination_learner": "combinations, guards",
    "comparison.loss_matrix": "losses of every rule",
    "comparison.choice": "Choice",
    "comparison.words": "words",
    "comparison.answer": "Answer",
    "comparison.models": "ModelComparison",
    "comparison.comparison": "Comparison, compare_models",
    "policy.policy": "Policy",
    "report.document": "Report",
}
"""Modules on the way from cases to the answer, and what each is for."""


def core_picture() -> str:
    """Return the modules of the core in steps: each imports, among these, only from the steps above it."""
    all_edges = graph()
    edges = {module: all_edges[module] & set(CORE) for module in CORE}
    step: dict[str, int] = {}
    below: dict[str, set[str]] = {}
    for module in TopologicalSorter(edges).static_order():
        step[module] = 1 + max((step[other] for other in edges[module]), default=0)
        below[module] = edges[module].union(*(below[other] for other in edges[module]))
    lines = ["| step | module | what it has | imports |", "|---|---|---|---|"]
    for number in range(1, max(step.values()) + 1):
        for module in (one for one in CORE if step[one] == number):
            # what comes with another one is not named again
            others = edges[module] - set().union(*(below[other] for other in edges[module]))
            used = sorted(others, key=lambda other: (step[other], other))
            shown = ", ".join(other.rpartition(".")[2] for other in used)
            lines.append(f"| {number} | `{module}` | {CORE[module]} | {shown} |")
    return "\n".join(lines)


PICTURES = {"layers": picture, "core": core_picture}
"""Pictures of docs/architecture.md that are made from the imports."""


def page_with_picture(page: str) -> str:
    """Return the page with the pictures renewed."""
    for name, made in PICTURES.items():
        begin, end = f"<!-- {name}: written by tools/layers.py -->", f"<!-- end of {name} -->"
        head, rest = page.split(begin)
        page = f"{head}{begin}\n{made()}\n{end}{rest.split(end)[1]}"
    return page


def complaints() -> list[str]:
    """Say what is wrong: imports that go up, a circle, a picture that is not the import graph."""
    wrong = [line for module, path in MODULES.items() for line in upward_imports(module, path.read_text())]
    try:
        order_of(graph())
    except CycleError as error:
        wrong.append(f"a circle of imports: {' -> '.join(error.args[1])}")
    page = PAGE.read_text()
    if page != page_with_picture(page):
        wrong.append("docs/architecture.md shows other subpackages: run python tools/layers.py")
    return wrong


def main() -> None:
    """Renew the picture, or only look with --check."""
    if sys.argv[1:] == ["--check"]:
        sys.exit("\n".join(complaints()) or 0)
    PAGE.write_text(page_with_picture(PAGE.read_text()))


if __name__ == "__main__":
    main()
