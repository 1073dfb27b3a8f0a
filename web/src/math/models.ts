/** All models at one prevalence, ready for any costs. */
import type { ModelData, ReportData } from "../data";
import { Capacity } from "./capacity";
import { certificateMargins, type Margins } from "./certificate";
import { honestOf, type Honest } from "./honest";
import { Surface } from "./surface";
import { TrivialSurface } from "./trivial";

export interface PreparedModel {
  data: ModelData;
  surface: Surface;
  /** Null where cross-fitting was impossible. */
  honest: Honest | null;
  /** Null where weights are no whole numbers. */
  margins: Margins | null;
  capacity: Capacity;
}

export interface Prepared {
  /** Null: that of the data. */
  prevalence: number | null;
  models: PreparedModel[];
  trivial: TrivialSurface;
}

/** What depends on the prevalence and not on the costs; once per change of the prevalence. */
export function prepare(report: ReportData, prevalence: number | null): Prepared {
  const models = report.models.map((data) => {
    const surface = new Surface(data, report, prevalence);
    return {
      data,
      surface,
      honest: honestOf(data, report, prevalence, report.confidence_level),
      margins: certificateMargins(data.blocks, report, prevalence, report.confidence_level),
      capacity: new Capacity(data, report, prevalence, surface),
    };
  });
  return { prevalence, models, trivial: new TrivialSurface(report, prevalence) };
}

/** Index of the model whose window is cheapest; the volume decides ties (demur.report.headline). */
export function cheapestModel(models: readonly PreparedModel[], mu: number, nu: number): number {
  // rounding makes ties exact
  const keys = models.map(({ surface, data }) => [Math.round(surface.cost(mu, nu) * 1e12), data.volume.hindsight]);
  return keys.reduce(
    (best, [cost, volume], at) =>
      cost < keys[best][0] || (cost === keys[best][0] && volume < keys[best][1]) ? at : best,
    0,
  );
}
