/** What the page of two classes and that of many have in common: one state that changes, one view of it. */
import type { VersusFacts } from "./comparison/facts";
import { shortName } from "./comparison/words";
import type { Theme } from "./view/palette";
import type { Told } from "./view/host";

export const THEMES = ["system", "light", "dark"] as const;
export type ThemeChoice = (typeof THEMES)[number];

/** What the reader chose on a page of any kind. */
export interface CommonState {
  theme: ThemeChoice;
  /** The reader's unit of money; empty: nobody named it. */
  unit: string;
  /** Cases in a year; null: not given. */
  yearly: number | null;
}

/** Cases that are treated alike, of 1000. */
export interface Part {
  look: "negative" | "positive" | "person" | "right" | "wrong";
  name: string;
  cases: number;
  /** Which scores they have; may be empty. */
  where: string;
  /** How many of 1000 cases are wrong among them, unrounded, and in words. */
  wrong: number;
  errors: string;
}

/** A cost per case with its interval, NaN where there is none. */
export interface Priced {
  cost: number;
  interval: readonly number[];
}

export interface Bar extends Priced {
  name: string;
  chosen: boolean;
  /** Whether the cases leave open that the answer is cheaper. */
  open: boolean;
}

type Versus = Partial<Record<"trivial" | "argmax" | "never_abstaining" | "runner_up", VersusFacts>>;

/** A rule as Python judged it, against the alternatives as far as their differences from it are known. */
export function barsAgainst({ cost, interval }: Priced, versus: Versus, first: string, without: (kind: string) => string): Bar[] {
  const names = { trivial: without, argmax: () => "the most probable class", never_abstaining: () => "never abstaining", runner_up: shortName };
  const others = Object.entries(names).flatMap(([key, nameOf]) => {
    const other = versus[key as keyof Versus];
    if (other === undefined) return [];
    const open = other.interval[0] <= 0 && 0 <= other.interval[1];
    return [{ name: nameOf(other.name), cost: cost - other.difference, interval: [NaN, NaN], chosen: false, open }];
  });
  return [{ name: first, cost, interval, chosen: true, open: false }, ...others];
}

/** What every kind of page says of a state; costs are per case, in the reader's unit. */
export interface View {
  /** The rule first. */
  sentences: readonly string[];
  remarks: readonly string[];
  /** Null where there is no answer. */
  answer: (Priced & { measured: boolean; spread: readonly Part[]; bars: readonly Bar[]; short: readonly [rule: string, cost: string] }) | null;
  /** What a picture was drawn for. */
  caption: readonly string[];
}

/** A file that the page saves, or why it cannot. */
export type Saved = { text: string } | { why: string };

/** Two classes or many: `S` is what the reader chose, `A` everything computed from it. */
export interface Kind<S extends CommonState, A extends object> {
  readonly start: S;
  /** The file, and the first line of the page. */
  readonly title: string;
  readonly facts: string;
  /** What the page contains of the cases. */
  readonly embedded: string;
  /** How to make a page that contains less; empty where there is none. */
  readonly less: string;
  /** The state that a fragment describes; what cannot be shown stays as it starts. */
  read(fragment: string): S;
  /** Only what differs from where the page starts. */
  write(state: S): string;
  changed(state: S, part: Partial<S>): S;
  /** Everything computed from a state; what takes time waits until the hand rests. */
  at(state: S, theme: Theme, rests: boolean): A;
  /** Whether marks move and shapes stay after a change of these parts. */
  moves(before: A, now: A, parts: readonly string[]): boolean;
  view(at: A): View;
  /** Whether the hand holds something that must not slip away under it. */
  readonly held: boolean;
  python(at: A): string;
  command(at: A): string;
  policy(at: A): Saved;
  /** Files of its own. */
  readonly files: readonly { name: string; role: string; save(at: A): void }[];
  /** What a notebook asks for, and what it is told. */
  asked(fragment: string): Partial<S>;
  told(at: A): Told;
}
