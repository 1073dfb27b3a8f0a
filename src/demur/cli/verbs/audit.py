"""`demur audit POLICY FILE`: what a policy costs on later labelled cases."""

from click.exceptions import Exit

from demur.cli.options import Output, takes, verb
from demur.cli.options.policies import Auditing

__all__ = ["command"]


@verb(
    "audit",
    example="""Example: a policy on the labelled cases of last month, by branch
  demur audit policy.json march.csv --label fraud --group branch
""",
)
@takes(Auditing)
@takes(Output, path={"help": "Write the answer to this file instead of standard output."})
def command(*, auditing: Auditing, output: Output) -> None:
    """Tell what a policy costs on later labelled cases.

    FILE is CSV (also gzipped), Parquet, or a quoted glob of either, with the scores and the true
    class in the labels of the policy; for many classes with one column per class. Costs that differ
    by case are read from the columns the policy names, if the file has them. The promise is kept,
    not kept, or not yet certain: kept if the interval of the cost lies below what was promised at
    most. The exit code is 3 if it is not kept, else 0; 2 for an error.
    """
    output = output.told()
    from demur.cli.answers.auditing import audit
    from demur.cli.output import document, write

    answer = audit(auditing, quiet=output.quiet)
    write(document("audit", answer.to_dict(), version=2) if output.as_json else answer.words(), output.path)
    if answer.judgement.broken:
        raise Exit(3)
