// Measures the viewer from within its page. All results are in milliseconds, unless the name says otherwise.

(() => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const find = (selector) => document.querySelector(selector);
  let drawnFrames = 0;
  const countFrame = () => (drawnFrames++, requestAnimationFrame(countFrame));
  requestAnimationFrame(countFrame);
  let lastMove = 0; // of the layout
  const NativeWorker = window.Worker;
  window.Worker = class extends NativeWorker {
    constructor(...given) {
      super(...given);
      lastMove = performance.now();
      this.addEventListener("message", () => (lastMove = performance.now()));
    }
  };
  const keyTimes = [];
  let calls = 0; // that wait for the server
  const nativeFetch = window.fetch;
  window.fetch = (...given) => {
    calls++;
    return nativeFetch(...given).finally(() => calls--);
  };

  async function until(condition) {
    while (!condition()) await frame();
    return performance.now();
  }

  const status = () => find("p.summary[role=status]")?.textContent ?? "";
  const isLoaded = () => status() !== "" && !status().includes("Loading");

  window.bench = {
    frames: () => [drawnFrames, performance.now()],
    shown: (selector) => until(() => find(selector)),
    drawn: () => Number(/^([\d,]+) node/.exec(status())?.[1].replaceAll(",", "") ?? 0),

    /** Since the begin of the load. */
    homeBegun: () => until(() => document.querySelectorAll(".columns > div:last-child .rows").length > 1),
    homeShown: () => until(() => find(".figures[aria-busy=false]") && find(".columns") && !find(".loading")),

    async listShown(selector) {
      const idOfFirst = () => find("table.nodes .node-link")?.href;
      await until(() => find(selector) && !find(selector).disabled);
      const before = idOfFirst();
      const start = performance.now();
      find(selector).click();
      return (await until(() => idOfFirst() && idOfFirst() !== before)) - start;
    },

    async jumped(position) {
      const slider = find(".slider input");
      const start = performance.now();
      slider.value = String(position);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      const answered = (name) =>
        performance.getEntriesByType("resource").some((entry) => entry.startTime > start && entry.name.endsWith(name));
      await until(() => answered("memory_as_of") && answered("memory_log"));
      performance.clearResourceTimings();
      await frame();
      return (await until(() => !find(".loading"))) - start;
    },

    async graphShown(hash) {
      const start = performance.now();
      location.hash = hash;
      await until(() => isLoaded() && find(".canvas canvas"));
      await frame();
      return performance.now() - start;
    },

    async graphLoaded() {
      await until(() => isLoaded() && find(".canvas canvas"));
    },

    /** Choose a drawn node, and expand it. Returns -1 if it is not drawn. */
    async expanded(id) {
      const button = () => [...document.querySelectorAll(".canvas-actions button")].find((b) => b.textContent === "Expand");
      location.hash = location.hash.replace(/&node=[^&]*/, "") + `&node=${id}`;
      await until(() => find("aside h2"));
      for (let waited = 0; !button() && waited < 100; waited++) await frame();
      if (!button()) return -1;
      await new Promise((resolve) => setTimeout(resolve, 150)); // the card begins to read
      await until(() => calls === 0);
      if (!button()) return -1; // it was the button of the node before
      const start = performance.now();
      const done = new Promise((resolve) => {
        let isBusy = false;
        const observer = new MutationObserver(() => {
          if (status().includes("Loading")) isBusy = true;
          else if (isBusy) observer.disconnect(), resolve();
        });
        observer.observe(find("main"), { subtree: true, childList: true, characterData: true });
      });
      button().click();
      await done;
      await frame();
      await frame(); // the first paints and sends the graph to be drawn
      return performance.now() - start;
    },

    async chosen(id) {
      const start = performance.now();
      location.hash = location.hash.replace(/&node=[^&]*/, "") + `&node=${id}`;
      await new Promise((resolve) => setTimeout(resolve));
      await frame();
      await new Promise((resolve) => setTimeout(resolve));
      return performance.now() - start;
    },

    /** Wait until the layout has ended. */
    settled: () => until(() => performance.now() - lastMove > 5_000),

    async overviewShown(hash) {
      const start = performance.now();
      if (hash) location.hash = hash;
      await until(() => find(".canvas canvas") && / nodes? in /.test(status()) && !status().includes("computed"));
      await frame();
      return performance.now() - start;
    },

    watchKeys() {
      keyTimes.length = 0;
      const onKey = ({ timeStamp }) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => keyTimes.push(performance.now() - timeStamp);
        requestAnimationFrame(() => channel.port2.postMessage(0));
      };
      window.addEventListener("keydown", onKey, { capture: true });
    },
    keyTimes: () => keyTimes,

    async call(operation, given) {
      const start = performance.now();
      const response = await fetch(`/api/v1/${operation}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Graph-Memory": "viewer" },
        body: JSON.stringify(given),
      });
      if (!response.ok) throw new Error(`${operation}: ${await response.text()}`);
      await response.json();
      return performance.now() - start;
    },
  };
})();
