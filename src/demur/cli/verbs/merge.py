"""`demur merge COUNTS...`: add up saved counts of disjoint data."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from demur.cli.options import Design, Flags, Output, flag, refuse, takes, verb
from demur.exceptions import InputError

__all__ = ["command"]


@dataclass(frozen=True, kw_only=True)
class Merging(Flags):
    """Which counts are added up, and whose they are."""

    TITLE: ClassVar[str] = "Counts"

    files: tuple[str, ...] = flag(nargs=-1, metavar="COUNTS...")
    model: str | None = flag(
        "--model", metavar="NAME", help="Name of their model [default: the one that the files agree on]."
    )


@verb(
    "merge",
    example="""Example: the counts of two days
  demur merge monday.parquet tuesday.parquet -o both.parquet
""",
)
@takes(Merging)
@takes(Design, without=("by", "require_proof"), cluster={"hidden": True}, time={"hidden": True})
@takes(Output, path={"help": "Write the counts of the union to this Parquet file."})
def command(*, merging: Merging, design: Design, output: Output) -> None:
    """Add up counts of disjoint data, saved with ScoreCounts.save.

    Days, shards and machines can be counted apart: the counts of the union are the sums. Counts of
    different models are refused. The name of the model is kept. Counts hold no clusters and no times.
    """
    refuse(
        design,
        because="needs the cases themselves: counts hold no clusters and no times. "
        "Hint: pass it to demur compare, with the table of the cases.",
    )
    files = merging.files
    if not files:
        raise InputError("At least one file of counts is needed. Hint: demur merge a.parquet b.parquet.")
    if not output.to_file and not output.as_json:
        raise InputError("`-o` is needed: counts are written to a file. Hint: -o all.parquet.")
    output.format((".parquet", ".pq"))
    from demur._files.parquet import parquet_fact
    from demur.cli.output import document, remark, write
    from demur.counts.scores import ScoreCounts

    first, *others = (ScoreCounts.load(file) for file in files)
    model = merging.model
    if model is None:
        saved = {name for file in files if (name := parquet_fact(Path(file), "model")) is not None}
        if len(saved) > 1:
            raise InputError(
                f"The counts must be of one model, got {', '.join(sorted(saved))}. "
                "Hint: if they are one, name it with --model NAME."
            )
        # a saved name, or the name that all files have
        names = saved or {Path(file).stem for file in files}
        model = names.pop() if len(names) == 1 else None
    merged = first.merge(*others) if others else first
    if output.to_file:
        merged.save(str(output.path), model=model)
    summary = {
        "model": model,
        "n": merged.n,
        "prevalence": merged.prevalence,
        "distinct_scores": len(merged.scores),
    }
    if output.as_json:
        write(document("merge", {"files": list(files), "output": output.path, **summary}), None)
    else:
        size = f"{merged.n:g} cases, {len(merged.scores)} distinct scores"
        whose = f" of {model}" if model else ""
        remark(f"{len(files)} files{whose}: {size}. Written to {output.path}.", quiet=output.quiet)
