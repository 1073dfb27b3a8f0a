/** Rates per class of every model, the same at every prevalence and at all costs. */
import type { ReportData } from "./data";
import { envelopeOf, type Envelope } from "./math/envelope";
import { rocHull, type Hull } from "./math/hull";
import { moneyLevel } from "./math/models";

export class Curves {
  readonly envelopes: readonly (Envelope | null)[];
  readonly hulls: readonly (Hull | null)[];

  constructor(report: ReportData) {
    // amounts have no normal form with two parameters, and their windows cut anywhere on the ROC curve
    const level = moneyLevel(report);
    this.envelopes = report.models.map(({ blocks }) => (level === null ? envelopeOf(blocks, report) : null));
    this.hulls = (level?.report ?? report).models.map(({ blocks }) => rocHull(blocks));
  }
}
