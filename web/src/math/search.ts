/** Binary search in ascending numbers, as numpy.searchsorted. */

/** Number of values below `value`, or with `equal` also those that equal it. */
export function below(values: Float64Array, value: number, equal = false): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value || (equal && values[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
