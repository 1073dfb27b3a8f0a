"""`demur merge COUNTS...`: add up saved counts of disjoint data."""

import click

from demur.cli.options import Output, takes, verb
from demur.exceptions import InputError

__all__ = ["command"]


@verb(
    "merge",
    example="""Example: the counts of two days
  demur merge monday.parquet tuesday.parquet -o both.parquet
""",
)
@click.argument("files", nargs=-1, metavar="COUNTS...")
@takes(Output, path={"help": "Write the counts of the union to this Parquet file."})
def command(*, files: tuple[str, ...], output: Output) -> None:
    """Add up counts of disjoint data, saved with ScoreCounts.save.

    Days, shards and clusters can be counted apart: the counts of the union are the sums.
    """
    if not files:
        raise InputError("At least one file of counts is needed. Hint: demur merge a.parquet b.parquet.")
    if not output.to_file and not output.as_json:
        raise InputError("`-o` is needed: counts are written to a file. Hint: -o all.parquet.")
    output.format((".parquet", ".pq"))
    from demur.cli.output import document, remark, write
    from demur.counts.scores import ScoreCounts

    first, *others = (ScoreCounts.load(file) for file in files)
    merged = first.merge(*others) if others else first
    if output.to_file:
        merged.save(str(output.path))
    summary = {"n": merged.n, "prevalence": merged.prevalence, "distinct_scores": len(merged.scores)}
    if output.as_json:
        write(document("merge", {"files": list(files), "output": output.path, **summary}), None)
    else:
        size = f"{merged.n:g} cases, {len(merged.scores)} distinct scores"
        remark(f"{len(files)} files: {size}. Written to {output.path}.", quiet=output.quiet)
