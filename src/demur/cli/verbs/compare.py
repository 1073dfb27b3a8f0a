"""`demur compare FILE`: which model, with which thresholds, at which costs."""

import click

from demur.cli.options import (
    certainty_options,
    chosen_engine,
    class_options,
    cost_model,
    cost_options,
    engine_options,
    output_options,
    prediction_options,
    refuse_binary_flags,
)
from demur.exceptions import InputError

__all__ = ["command"]


@click.command(
    name="compare",
    epilog="""\b
Example: a miss costs 100, a false alarm 40, a review by a person 12
  demur compare predictions.csv --cost-fn 100 --cost-fp 40 --cost-abstain 12
""",
)
@prediction_options
@cost_options
@class_options
@certainty_options
@engine_options()
@output_options()
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
    classes: str | None,
    cost_matrix: str | None,
    confidence: float,
    seed: int,
    engine: str | None,
    master: str | None,
    group: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Tell which model is cheapest, with which thresholds, at which costs.

    FILE is a table with a header, one row per case: the true class and one score column per
    model (CSV, gzipped CSV, Parquet, a folder or a quoted glob of such files, or - for CSV on
    standard input), or a file of counts saved with ScoreCounts.save. Without costs the models
    are compared over all costs.
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
            engine=engine,
            master=master,
            group=group,
        )
        from demur.cli.answers.many_classes import compare_rules

        compare_rules(
            file,
            classes,
            cost_matrix=cost_matrix,
            label=label,
            abstain_cost=cost_abstain,
            confidence=confidence,
            seed=seed,
            output=output,
            as_json=as_json,
            quiet=quiet,
        )
        return
    costs = cost_model(cost_fn=cost_fn, cost_fp=cost_fp, cost_abstain=cost_abstain, mu=mu, nu=nu)
    name = chosen_engine(engine, master)
    from demur.cli.answers.comparing import Settings, compare_parts, compared_document, compared_text
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
    settings = Settings(costs=costs, prevalence=prevalence, confidence_level=confidence, seed=seed)
    parts = compare_parts(read, settings)
    write(compared_document(read, parts) if as_json else compared_text(read, parts, output=output), output)
