/** The two prices, as every picture of them names its axes. */
export const FALSE_ALARM = "price of a false alarm (a miss = 1)";
export const REVIEW = "price of a review (a miss = 1)";
