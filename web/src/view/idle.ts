/** Work that can wait until the page has been painted. */
export function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) window.requestIdleCallback(() => work(), { timeout: 500 });
  else setTimeout(work, 50);
}
