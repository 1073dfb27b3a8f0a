"""`demur watch POLICY FILES...`: does a policy in use still see what it was made for?"""

from click.exceptions import Exit

from demur.cli.options import Output, takes, verb
from demur.cli.options.policies import Watching

__all__ = ["command"]


@verb(
    "watch",
    example="""Examples: every day, the scores of the day
  demur watch policy.json scores-2026-03-01.parquet --state watch.json
with a page for the colleagues
  demur watch policy.json week.csv --state watch.json --date-column day \\
    --html watch.html
weeks later, the labels of an audit (`demur apply --audit 0.01`)
  demur watch policy.json audit.csv --state watch.json --label fraud --late
""",
)
@takes(Watching)
@takes(Output, path={"help": "Write the answer to this file instead of standard output."})
def command(*, watching: Watching, output: Output) -> None:
    """Tell whether a policy in use still sees what it was made for.

    Each of FILES is a batch of scores: CSV (also gzipped), Parquet, or a quoted glob of either. Of a
    rule for many classes the decisions are watched, and the cost where labels come. A batch that is
    known changes nothing. You may look at the evidence as often as you like. The exit code is 0 while
    all is quiet, 3 on an alarm, 2 for an error. Two processes on one state wait for each other; a
    killed one loses nothing that it had said.
    """
    output = output.told()
    from demur.cli.answers.watching import watch
    from demur.cli.output import document, write

    answer = watch(watching, quiet=output.quiet)
    write(document("watch", answer.to_dict(), version=2) if output.as_json else answer.words(), output.path)
    if answer.monitor.alarms:
        raise Exit(3)
