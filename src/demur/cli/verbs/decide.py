"""`demur decide FILE`: choose thresholds at the user's costs and write them as a policy."""

import click

from demur.cli.options import (
    certainty_options,
    chosen_engine,
    class_options,
    cost_model,
    cost_options,
    engine_options,
    limit_options,
    output_options,
    prediction_options,
    refuse_binary_flags,
)
from demur.exceptions import InputError

__all__ = ["command"]


@click.command(
    name="decide",
    epilog="""\b
Example: a miss costs 100, a false alarm 40, a review by a person 12
  demur decide predictions.csv --cost-fn 100 --cost-fp 40 --cost-abstain 12 \\
    -o policy.json
""",
)
@prediction_options
@cost_options
@limit_options
@class_options
@certainty_options
@engine_options()
@click.option(
    "--no-labels",
    is_flag=True,
    help="FILE holds P(positive) only: thresholds from the costs alone, no policy.",
)
@click.option("--abstain-label", metavar="VALUE", help="Label of an abstention [default: abstain, or -1].")
@output_options(what="Write the policy to this file instead of standard output.")
def command(
    *,
    file: str,
    label: str | None,
    positive: str | None,
    models: tuple[str, ...],
    weight: str | None,
    cost_fn: float | None,
    cost_fp: float | None,
    cost_abstain: float | None,
    mu: float | None,
    nu: float | None,
    prevalence: float | None,
    max_abstention: float | None,
    min_precision_positive: float | None,
    min_precision_negative: float | None,
    classes: str | None,
    cost_matrix: str | None,
    confidence: float,
    seed: int,
    engine: str | None,
    master: str | None,
    group: str | None,
    no_labels: bool,
    abstain_label: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Choose thresholds at these costs and write them as a policy.

    FILE as for `demur compare`. Of several score columns the cheapest at these costs is taken.
    The policy goes to -o, and the decision in words to standard output; without -o the policy
    goes to standard output and the words to standard error. With --json standard output holds
    the whole answer, policy included. With --group the words go to standard output, and a policy
    per group to -o, in which {group} stands for the group.
    """
    if classes is not None or cost_matrix is not None:
        if classes is None:
            raise InputError("`--classes` is needed beside --cost-matrix. Hint: --classes a,b,c.")
        refuse_binary_flags(
            positive=positive,
            models=models,
            weight=weight,
            cost_fn=cost_fn,
            cost_fp=cost_fp,
            mu=mu,
            nu=nu,
            prevalence=prevalence,
            max_abstention=max_abstention,
            abstain_label=abstain_label,
            min_precision_positive=min_precision_positive,
            min_precision_negative=min_precision_negative,
            engine=engine,
            master=master,
            group=group,
        )
        from demur.cli.answers.many_classes import decide_weights

        decide_weights(
            file,
            classes,
            cost_matrix=cost_matrix,
            label=label,
            abstain_cost=cost_abstain,
            seed=seed,
            output=output,
            as_json=as_json,
            quiet=quiet,
        )
        return
    costs = cost_model(cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain, mu=mu, nu=nu)
    if costs is None:
        raise InputError(
            "A decision needs costs. Hint: pass --cost-fn, --cost-fp and --cost-abstain, or --mu and --nu."
        )
    if no_labels:
        from demur.cli.answers.unlabelled import decide_without_labels

        given = {"--label": label, "--positive": positive, "--weight": weight, "--prevalence": prevalence}
        given |= {"--max-abstention": max_abstention, "--abstain-label": abstain_label}
        given |= {"--engine": engine, "--master": master, "--group": group}
        given |= {
            f"--min-precision-{kind}": value
            for kind, value in (("positive", min_precision_positive), ("negative", min_precision_negative))
        }
        unusable = [flag for flag, value in given.items() if value is not None]
        if unusable:
            raise InputError(f"`{unusable[0]}` needs labelled cases. Hint: leave it out with --no-labels.")
        decide_without_labels(file, models, costs, output=output, as_json=as_json, quiet=quiet)
        return
    name = chosen_engine(engine, master)
    from demur.cli.answers.comparison import Limits
    from demur.cli.answers.deciding import Wanted, decide_parts, decided_document, write_decided
    from demur.cli.output import remark, write
    from demur.cli.reading.evidence import read_evidence

    read = read_evidence(
        file,
        label=label,
        positive=positive,
        models=models,
        weight=weight,
        group=group,
        engine=name,
        master=master,
    )
    remark(read.sentence, quiet=quiet)
    limits = Limits(
        max_abstention=max_abstention,
        min_precision_positive=min_precision_positive,
        min_precision_negative=min_precision_negative,
    )
    wanted = Wanted(
        costs=costs,
        limits=limits,
        prevalence=prevalence,
        abstain_label=abstain_label,
        confidence_level=confidence,
        seed=seed,
    )
    parts = decide_parts(read, wanted)
    write_decided(read, parts, output=output, quiet=quiet, silent=as_json)
    if as_json:
        write(decided_document(read, parts), None)
