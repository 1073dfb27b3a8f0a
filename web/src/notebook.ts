/** What a notebook runs (anywidget): the page in a sandboxed frame, and the port to it. */

interface Model {
  get(name: string): string;
  set(name: string, value: string): void;
  save_changes(): void;
  on(name: string, listener: () => void): void;
  off(name: string, listener: () => void): void;
}

const HEIGHT = 900;

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.title = "demur report";
  frame.width = "100%";
  frame.height = String(HEIGHT);
  frame.style.border = "0";
  let port: MessagePort | null = null;
  // questions are numbered, so that the same one can be asked again
  const ask = (): void => {
    const [, fragment] = /^\d+ ([^]*)$/.exec(model.get("_asked")) ?? [];
    if (fragment !== undefined) port?.postMessage(fragment);
  };
  frame.addEventListener("load", () => {
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = ({ data }) => {
      if (typeof data !== "string") return;
      model.set("_told", data);
      model.save_changes();
    };
    frame.contentWindow?.postMessage("demur", "*", [channel.port2]);
    ask();
  });
  model.on("change:_asked", ask);
  frame.srcdoc = model.get("_page");
  el.append(frame);
  return () => {
    model.off("change:_asked", ask);
    port?.close();
  };
}

export default { render };
