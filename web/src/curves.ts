/** Rates per class of every model, the same at every prevalence and at all costs. */
import type { ReportData } from "./data";
import { envelopeOf, type Envelope } from "./math/envelope";
import { rocHull, type Hull } from "./math/hull";
import { moneyLevel, type Prepared } from "./math/models";
import { fineModel, Rows } from "./math/scoreLevel";
import { Surface } from "./math/surface";

export class Curves {
  private rows: Rows | null = null;
  private fineOne: { key: string; surface: Surface } | null = null;
  readonly envelopes: readonly (Envelope | null)[];
  readonly hulls: readonly (Hull | null)[];

  constructor(private readonly report: ReportData) {
    // amounts have no normal form with two parameters, and their windows cut anywhere on the ROC curve
    const level = moneyLevel(report);
    this.envelopes = report.models.map(({ blocks }) => (level === null ? envelopeOf(blocks, report) : null));
    this.hulls = (level?.report ?? report).models.map(({ blocks }) => rocHull(blocks));
  }
  /** A model score by score, made when somebody looks at it; null where the page does not hold the cases. */
  fine(k: number, { prevalence, extra }: Prepared): Surface | null {
    const { report } = this;
    if (report.cases === null || report.amounts !== null) return null;
    const key = [k, prevalence, ...Object.values(extra)].join("|");
    if (this.fineOne?.key !== key) {
      this.rows ??= new Rows(report.cases);
      const { data } = fineModel(this.rows, report.models[k], k, false);
      this.fineOne = { key, surface: new Surface(data, report, prevalence, extra) };
    }
    return this.fineOne.surface;
  }
}
