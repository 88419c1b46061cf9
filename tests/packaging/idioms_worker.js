// Observes programs as the page's worker does, with its own two interpreters, and tells what a
// person would see of each.

import { enclosed, Machine } from "./machine.js";

const folder = new URL("./", import.meta.url).href;

async function start() {
  const { loadPyodide } = await import(`${folder}pyodide/pyodide.js`);
  const options = { indexURL: `${folder}pyodide/`, env: { HOME: "/", PYTHONHASHSEED: "0" } };
  const load = () => loadPyodide(options);
  const judge = (await enclosed(load)).python;
  const archive = await fetch(`${folder}checker.zip`);
  judge.unpackArchive(new Uint8Array(await archive.arrayBuffer()), "zip", { extractDir: "/checker" });
  judge.runPython("import sys; sys.path.insert(0, '/checker')");
  const checker = judge.pyimport("harness.packaging.web.checker");
  const machine = new Machine(await enclosed(load), checker.MACHINE_BOOT, checker.machine_modules().toJs());
  machine.begins = () => true;
  judge.runPython(await (await fetch(`${folder}idioms_inside.py`)).text());
  const outcome = judge.globals.get("outcome");
  self.onmessage = ({ data }) => self.postMessage(outcome(machine, data.program, data.folder, data.lines, data.piped));
  self.postMessage("ready");
}

start().catch((error) => self.postMessage(`broken: ${error.message || error}`));
