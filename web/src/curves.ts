/** Rates per class of every model, the same at every prevalence and at all costs. */
import type { ReportData } from "./data";
import { envelopeOf, type Envelope } from "./math/envelope";
import { rocHull, type Hull } from "./math/hull";

export class Curves {
  readonly envelopes: readonly (Envelope | null)[];
  readonly hulls: readonly (Hull | null)[];

  constructor(report: ReportData) {
    this.envelopes = report.models.map(({ blocks }) => envelopeOf(blocks, report));
    this.hulls = report.models.map(({ blocks }) => rocHull(blocks));
  }
}
