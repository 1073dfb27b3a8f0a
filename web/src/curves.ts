/** Rates per class of every model, the same at every prevalence and at all costs. */
import type { ReportData } from "./data";
import { envelopeOf, type Envelope } from "./math/envelope";
import { evidenceOf } from "./math/evidence";
import { rocHull, type Hull } from "./math/hull";

export class Curves {
  readonly envelopes: readonly (Envelope | null)[];
  readonly hulls: readonly (Hull | null)[];

  constructor(report: ReportData) {
    // amounts have no normal form with two parameters, and their windows cut anywhere on the ROC curve
    const byCase = report.amounts !== null;
    this.envelopes = report.models.map(({ blocks }) => (byCase ? null : envelopeOf(blocks, report)));
    this.hulls = (byCase ? evidenceOf(report).fine : report.models).map(({ blocks }) => rocHull(blocks));
  }
}
