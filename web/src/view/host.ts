/**
 * A notebook around the page: it hands over a port, through which costs and rule go both ways.
 *
 * Nobody else hears anything: the page speaks to the port alone, and takes one from its parent alone.
 */
export interface Told {
  costs: unknown;
  /** Text of the policy file of the rule on show; null for a rule without a model. */
  policy: string | null;
  headline: string;
}

/** Wait before the host hears of a change. */
const SETTLE = 150;

/** Follow a host; returns what to call after every change. */
export function followHost(asked: (fragment: string) => void, told: () => Told): () => void {
  let port: MessagePort | null = null;
  let timer = 0;
  const tell = (): void => port?.postMessage(JSON.stringify(told()));
  addEventListener("message", ({ source, data, ports }) => {
    if (source !== window.parent || window.parent === window || data !== "demur" || ports.length !== 1) return;
    [port] = ports;
    port.onmessage = ({ data: fragment }) => {
      if (typeof fragment === "string") asked(fragment);
    };
    tell();
  });
  return () => {
    if (port === null) return;
    clearTimeout(timer);
    timer = window.setTimeout(tell, SETTLE);
  };
}
