/** What the reader chose before: undo and redo, a step for every place where the hand rested. */

/** Steps back that are kept. */
const MOST = 200;

export class Past<S> {
  private readonly before: S[] = [];
  private after: S[] = [];
  private readonly listeners: (() => void)[] = [];

  constructor(
    private rested: S,
    /** States that read alike are the same step. */
    private readonly asText: (state: S) => string,
  ) {}

  get mayUndo(): boolean {
    return this.before.length > 0;
  }
  get mayRedo(): boolean {
    return this.after.length > 0;
  }

  /** Call whenever there is more or less to undo or redo. */
  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** The reader has come to rest here. */
  rest(state: S): void {
    if (this.asText(state) === this.asText(this.rested)) return;
    this.before.push(this.rested);
    if (this.before.length > MOST) this.before.shift();
    this.after = [];
    this.settle(state);
  }

  undo(): S | null {
    return this.step(this.before, this.after);
  }

  redo(): S | null {
    return this.step(this.after, this.before);
  }

  private step(from: S[], to: S[]): S | null {
    const state = from.pop();
    if (state === undefined) return null;
    to.push(this.rested);
    this.settle(state);
    return state;
  }

  private settle(state: S): void {
    this.rested = state;
    for (const listener of this.listeners) listener();
  }
}
