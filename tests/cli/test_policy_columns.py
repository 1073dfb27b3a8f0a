"""Which columns of a file a policy of many classes reads: its own, never those of another model."""

import numpy as np
import pytest

from demur.cli.main import main


def _table(path, models, *, label=True):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 90)
    names = np.array(["a", "b", "c"])
    columns = {"label": names[truth]} if label else {}
    for model in models:
        proba = rng.dirichlet([1, 1, 1], 90) + 2 * np.eye(3)[truth]
        proba /= proba.sum(axis=1, keepdims=True)
        columns |= {f"{model}_{name}": proba[:, k].round(4) for k, name in enumerate(names)}
    rows = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(rows) + "\n")
    return str(path)


@pytest.mark.parametrize("verb", ["apply", "audit", "watch"])
def test_columns_of_another_model_are_not_taken(capsys, tmp_path, verb):
    both = _table(tmp_path / "both.csv", ("first", "second"))
    (tmp_path / "costs.csv").write_text("true,a,b,c\na,0,4,9\nb,3,0,2\nc,8,5,0\n")
    policy = str(tmp_path / "policy.json")
    flags = ["--classes", "a,b,c", "--cost-matrix", str(tmp_path / "costs.csv"), "--cost-abstain", "1"]
    with pytest.raises(SystemExit) as ended:
        main(["decide", both, *flags, "--model", "first", "-o", policy])
    assert ended.value.code in (0, None), capsys.readouterr().err
    other = _table(tmp_path / "other.csv", ("second",))
    more = {"apply": [], "audit": ["--label", "label"], "watch": ["--state", str(tmp_path / "state.json")]}
    with pytest.raises(SystemExit) as ended:
        main([verb, policy, other, *more[verb]])
    assert ended.value.code == 2
    assert "has no column 'first_a', one of the policy's columns." in " ".join(
        capsys.readouterr().err.split()
    )
