// Search without a server: browsers start no worker from a file, so pages opened from a folder run the
// search in a hidden frame instead. Loaded before the theme, which asks for a Worker as usual.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #waiting = [];

    constructor(address) {
      super();
      this.#frame.hidden = true;
      this.#frame.title = "search";
      document.body.appendChild(this.#frame);
      const inside = this.#frame.contentWindow;
      // what a worker has and a window has not
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = async (...addresses) => {
        for (const one of addresses) await this.#load(one);
      };
      this.#load(address).then(() => {
        const waiting = this.#waiting;
        this.#waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      });
    }

    postMessage(data) {
      if (this.#waiting) this.#waiting.push(data);
      else this.#frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    #load(address) {
      return new Promise((done, failed) => {
        const script = this.#frame.contentDocument.createElement("script");
        script.src = address;
        script.onload = done;
        script.onerror = () => failed(new Error(`${address} cannot be loaded`));
        this.#frame.contentDocument.body.appendChild(script);
      });
    }
  };
}
