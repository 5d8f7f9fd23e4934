// Browsers start no workers for pages opened as files. There the search runs in a hidden frame
// instead, behind a worker's interface; the theme looks for it under this name.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const base = new URL(url, document.baseURI);
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "<!doctype html><title>search</title>";
      const loaded = new Promise((done) => frame.addEventListener("load", done, { once: true }));
      this.inside = loaded.then(async () => {
        const inside = frame.contentWindow;
        const run = (source) =>
          new Promise((done, failed) => {
            const script = inside.document.createElement("script");
            script.addEventListener("load", done);
            script.addEventListener("error", failed);
            script.src = new URL(source, base).href;
            inside.document.body.append(script);
          });
        inside.importScripts = async (...sources) => {
          for (const source of sources) await run(source);
        };
        inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        await run(base);
        return inside;
      });
      document.body.append(frame);
    }
    async postMessage(data) {
      const inside = await this.inside;
      inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
  window.Worker = window.IFrameWorker;
}
