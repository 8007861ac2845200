// The site opened from a folder, without a server. Browsers then load no module, start no worker and fetch nothing, and a link to a folder lists
// its files. A page at a file: address loads this script before Material's; torchclinic/site/file_scheme.py puts the modules and the index in.
{
  const base = new URL("..", document.currentScript.src); // <language>/
  const INDEX = {index};
  const ADVICE = {advice};
  const reply = (data) => ({ ok: true, json: async () => data });

  const script = (path) =>
    new Promise((resolve, reject) => {
      const made = document.createElement("script");
      Object.assign(made, { src: new URL(path, base).href, async: false, onload: resolve, onerror: reject });
      document.head.append(made);
    });

  // What the modules below see in place of the browser's own.
  const fetch = async (url) => {
    if (String(url).endsWith("index.json")) return reply(INDEX);
    if (String(url).endsWith("advice.json")) return reply(ADVICE);
    let found;
    if (String(url).endsWith("origins.bin")) {
      window.torchClinicOrigins = (text) => (found = Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
      await script("../file-origins.js");
      return { ok: true, arrayBuffer: async () => found.buffer };
    }
    window.torchClinicSearch = (index, texts) => (found = String(url).endsWith("texts.json") ? texts : index);
    await script("assets/file-search.js");
    return reply(found);
  };
  class Worker extends EventTarget {
    constructor(url) {
      super();
      const inner = (this.inner = new EventTarget());
      inner.postMessage = (data) => this.stopped || this.send(this, data);
      use(new URL(url, location.href).pathname.split("/").pop(), inner);
    }
    send(to, data) {
      setTimeout(() => {
        const event = new MessageEvent("message", { data });
        to.dispatchEvent(event);
        to.onmessage?.(event);
      });
    }
    postMessage(data) {
      this.send(this.inner, data);
    }
    terminate() {
      this.stopped = true;
    }
  }
  window.Worker = Worker; // Material's search

  const modules = {
{modules}
  };
  const loaded = new Map();

  /** What a module exports. A worker runs anew each time, as `self` says. */
  function use(name, self) {
    if (self) return modules[name](new URL(`assets/${name}`, base).href, self);
    if (!loaded.has(name)) loaded.set(name, modules[name](new URL(`assets/${name}`, base).href, window));
    return loaded.get(name);
  }

  const follow = (event) => {
    const link = event.target.closest?.("a[href]");
    if (link?.protocol === "file:" && link.pathname.endsWith("/")) link.pathname += "index.html";
  };
  for (const type of ["pointerdown", "click"]) document.addEventListener(type, follow, true);
  document.addEventListener("DOMContentLoaded", () => use("site.js"), { once: true });
}
