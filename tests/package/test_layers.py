"""Import layers: subpackages import lower layers only, no module imports in a circle, names have one home."""

import ast
import subprocess
import sys
from graphlib import CycleError
from importlib import import_module
from pathlib import Path

import pytest

import demur
from public_surface import SUBPACKAGES, TOP

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import layers  # noqa: E402

_LONGEST_BODY = 60


@pytest.mark.parametrize("module", sorted(layers.MODULES))
def test_imports_go_downward(module):
    assert layers.upward_imports(module, layers.MODULES[module].read_text()) == []


@pytest.mark.parametrize(
    "line",
    [
        "from demur.cli.output import write",
        "def late():\n    from demur.surface.surface import abstention_surface",
        "if TYPE_CHECKING:\n    from demur.honest import surface_band",
        "import demur.report",
        "from demur import abstention_surface",
        "from demur.costs.model import CostModel  # the same layer",
    ],
)
def test_one_line_that_imports_upward_is_found(line):
    source = layers.MODULES["roc.curve"].read_text() + "\n" + line
    assert len(layers.upward_imports("roc.curve", source)) == 1


def test_no_module_imports_the_studies():
    assert [name for name, path in layers.MODULES.items() if "demur_studies" in path.read_text()] == []


def test_no_module_imports_in_a_circle():
    edges = layers.graph()
    assert len(layers.order_of(edges)) > 200
    edges["counts.scores"] = edges["counts.scores"] | {"counts.bins"}
    with pytest.raises(CycleError):
        layers.order_of(edges)


def test_every_module_has_a_floor():
    assert {layers.subpackage_of(module) for module in layers.MODULES} == set(layers.LAYER_OF)


def test_picture_in_the_documentation_is_the_import_graph():
    page = layers.PAGE.read_text()
    assert page == layers.page_with_picture(page), "run: python tools/layers.py"


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_room_says_what_lives_there(subpackage):
    text = import_module(f"demur.{subpackage}").__doc__
    assert len(text.split("\n\n")) >= 2
    assert "Imports:" in text


def test_a_name_lives_in_one_room():
    homes = {}
    for subpackage in SUBPACKAGES:
        for name in import_module(f"demur.{subpackage}").__all__:
            homes.setdefault(name, []).append(subpackage)
    assert {name: subpackages for name, subpackages in homes.items() if len(subpackages) > 1} == {}
    for name in set(TOP) & set(homes):
        assert getattr(demur, name) is getattr(import_module(f"demur.{homes[name][0]}"), name)


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_a_room_loads_what_it_lists(subpackage):
    loaded = import_module(f"demur.{subpackage}")
    assert [name for name in loaded.__all__ if not hasattr(loaded, name)] == []
    assert set(loaded.__all__) <= set(dir(loaded))
    with pytest.raises(AttributeError, match=f"demur.{subpackage}"):
        getattr(loaded, "nothing_of_this_name")  # noqa: B009


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_no_name_of_a_room_is_that_of_a_module(subpackage):
    """The module would stand in the place of the name as soon as anybody imports it."""
    loaded = import_module(f"demur.{subpackage}")
    modules = {
        module.rpartition(".")[2] for module in layers.MODULES if layers.subpackage_of(module) == subpackage
    }
    assert modules & set(loaded.__all__) == set()


def test_layers_load_their_modules_on_demand():
    code = (
        "import sys, demur.policy.labels\n"
        "print('demur.policy.policy' in sys.modules)\n"
        "demur.policy.Policy\n"
        "print('demur.policy.policy' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("module", sorted(layers.MODULES))
def test_functions_are_small(module):
    source = layers.MODULES[module].read_text()
    long = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            if length >= _LONGEST_BODY:
                long[node.name] = length
    assert long == {}
