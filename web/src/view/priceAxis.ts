/** An axis of prices relative to a miss, logarithmic over whole powers of ten. */

export class PriceAxis {
  constructor(
    readonly from: number,
    readonly to: number,
  ) {}

  /** Share of the axis below a price; prices beyond the ends stand at them. */
  share(price: number): number {
    const { from, to } = this;
    return Math.log(Math.min(to, Math.max(from, price)) / from) / Math.log(to / from);
  }

  /** The price at a share of the axis. */
  price(share: number): number {
    const { from, to } = this;
    return from * (to / from) ** Math.min(1, Math.max(0, share));
  }

  /** The price to the digits that a hand can point at. */
  near(share: number): number {
    return Number(this.price(share).toPrecision(3));
  }

  /** Prices at even steps of the axis, both ends included. */
  steps(size: number): Float64Array {
    return Float64Array.from({ length: size }, (_, at) => this.price(at / (size - 1)));
  }

  same({ from, to }: PriceAxis): boolean {
    return this.from === from && this.to === to;
  }
}

/** Powers of ten around the usual prices, wide enough for one more with room beside it. */
export function decades(usual: readonly [from: number, to: number], price: number): PriceAxis {
  let [from, to] = usual.map((end) => Math.round(Math.log10(end)));
  if (price > 0 && price < Infinity) {
    const place = Math.log10(price);
    from = Math.min(from, Math.floor(place - BESIDE));
    to = Math.max(to, Math.ceil(place + BESIDE));
  }
  return new PriceAxis(Number(`1e${from}`), Number(`1e${to}`));
}

/** Least distance of the point from the ends, in powers of ten. */
const BESIDE = 0.3;
