/** An axis of prices relative to a miss: logarithmic over whole powers of ten, or from 0 on. */

export class PriceAxis {
  constructor(
    readonly from: number,
    readonly to: number,
  ) {}

  /** Where from = 0 an axis is linear. */
  get log(): boolean {
    return this.from > 0;
  }

  /** Share of the axis below a price; prices beyond the ends stand at them. */
  share(price: number): number {
    const { from, to } = this;
    const inside = Math.min(to, Math.max(from, price));
    return this.log ? Math.log(inside / from) / Math.log(to / from) : inside / to;
  }

  /** The price at a share of the axis. */
  price(share: number): number {
    const { from, to } = this;
    const inside = Math.min(1, Math.max(0, share));
    return this.log ? from * (to / from) ** inside : to * inside;
  }

  /** The price to the digits that a hand can point at. */
  near(share: number): number {
    if (!this.log) return (Math.round(1000 * Math.min(1, Math.max(0, share))) * this.to) / 1000;
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
