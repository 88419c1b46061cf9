// Checks in a thread of its own, which the page can end. It holds two interpreters: the one that
// judges has the scenarios and what should happen; the machine runs what the student wrote.

import { enclosed, Machine } from "./machine.js";

const OUTSIDE = "fetch XMLHttpRequest WebSocket WebTransport EventSource indexedDB caches Worker BroadcastChannel";
const folder = new URL("./", import.meta.url).href;
const say = self.postMessage.bind(self);
const fetched = self.fetch.bind(self);
let judge, machine, checker, ended;
delete WebAssembly.Suspending; // no code here is suspended: a program would be another way out

// A file server may not know what a WebAssembly file is.
self.fetch = async (address, options) => {
  const response = await fetched(address, options);
  if (!response.ok || !String(address).endsWith(".wasm")) return response;
  return new Response(response.body, { headers: { "Content-Type": "application/wasm" } });
};

async function start() {
  const { loadPyodide } = await import(`${folder}pyodide/pyodide.js`);
  const options = { indexURL: `${folder}pyodide/`, env: { HOME: "/", PYTHONHASHSEED: "0" } };
  judge = await loadPyodide(options);
  say({ step: 1 });
  const archive = await fetch(`${folder}checker.zip`);
  judge.unpackArchive(new Uint8Array(await archive.arrayBuffer()), "zip", { extractDir: "/checker" });
  judge.runPython("import sys; sys.path.insert(0, '/checker')");
  checker = judge.pyimport("harness.packaging.web.checker");
  say({ step: 2 });
  const inner = await enclosed(() => loadPyodide(options));
  machine = new Machine(inner, judge, checker.MACHINE_BOOT, checker.machine_modules().toJs());
  machine.begins = (run, seconds) => { say({ run, seconds }); return !ended.has(run); };
  for (const name of OUTSIDE.split(" ")) { // what the machine runs must not reach even its own web space
    for (let place = self; place; place = Object.getPrototypeOf(place)) delete place[name];
  }
  say({ ready: true });
}

self.onmessage = ({ data }) => {
  ended = new Set(data.ended);
  const given = [machine, judge.toPy(data.files)];
  try {
    if (data.play) given.push(...data.play.map((each) => judge.toPy(each)));
    say({ answer: JSON.parse(data.play ? checker.play(...given) : checker.check(...given)) });
  } catch (error) {
    say({ failed: String(error.message || error) });
  }
};

start().catch((error) => say({ broken: String(error.message || error) }));
