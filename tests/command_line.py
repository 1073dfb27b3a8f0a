"""What tests of the command line share: a worked example, files, a process of its own."""

import csv
import json
import os
import subprocess
import sys

# the worked example of `abstention_surface`, one row per case, beside a model that ranks backwards
Y = [0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
GOOD = [-0.9, -0.9, -0.5, -0.5, 0, 0, 0, 0.4, 0.4, 0.4, 0.8, 0.8]
COSTS = ("--cost-fn", "100", "--cost-fp", "100", "--cost-abstain", "25")


class Answer:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


def table_file(folder, name="p.csv", **columns):
    path = folder / name
    with open(path, "w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def python(*args, **kwargs):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, env=env, **kwargs)
