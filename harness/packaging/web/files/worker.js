// Checks in a thread of its own, which the page can end. It holds two interpreters: the one that
// judges has the scenarios and expectations; the machine runs the student's code.

import { enclosed, Machine } from "./machine.js";

const OUTSIDE = "fetch XMLHttpRequest WebSocket WebTransport EventSource indexedDB caches Worker BroadcastChannel";
const folder = new URL("./", import.meta.url).href;
const say = self.postMessage.bind(self);
let judge, machine, checker, ended;
delete WebAssembly.Suspending; // no code here is suspended: a program would be another way out

// Tell the page how much has come, of what Python is loaded from.
function countLoaded() {
  const real = self.fetch;
  let loaded = 0;
  self.fetch = async (...given) => {
    const answer = await real(...given);
    if (!answer.ok || !answer.body) return answer;
    const counted = new TransformStream({
      transform(part, passedOn) { loaded += part.length; say({ loaded }); passedOn.enqueue(part); },
    });
    return new Response(answer.body.pipeThrough(counted), { status: answer.status, headers: answer.headers });
  };
  return () => { self.fetch = real; };
}

async function start() {
  const endCount = countLoaded();
  const { loadPyodide } = await import(`${folder}pyodide/pyodide.js`);
  const options = { indexURL: `${folder}pyodide/`, env: { HOME: "/", PYTHONHASHSEED: "0" } };
  const load = () => loadPyodide(options);
  judge = (await enclosed(load)).python;
  endCount(); // the second interpreter is loaded from the same files
  say({ step: 1 });
  const archive = await fetch(`${folder}checker.zip`);
  judge.unpackArchive(new Uint8Array(await archive.arrayBuffer()), "zip", { extractDir: "/checker" });
  judge.runPython("import sys; sys.path.insert(0, '/checker')");
  checker = judge.pyimport("harness.packaging.web.checker");
  say({ step: 2 });
  machine = new Machine(await enclosed(load), checker.MACHINE_BOOT, checker.machine_modules().toJs());
  machine.begins = (run, seconds) => { say({ run, seconds }); return !ended.has(run); };
  for (const name of OUTSIDE.split(" ")) { // the machine's programs must not reach even its own web space
    for (let place = self; place; place = Object.getPrototypeOf(place)) delete place[name];
  }
  say({ ready: true });
}

self.onmessage = ({ data }) => {
  ended = new Set(data.ended);
  try {
    const given = [data.files, ...(data.play ?? data.run ?? [])].map((each) => judge.toPy(each));
    const answer = data.play ? checker.play : data.run ? checker.run : checker.check;
    say({ answer: JSON.parse(answer(machine, ...given)) });
  } catch (error) {
    say({ failed: String(error.message || error) });
  }
};

start().catch((error) => say({ broken: String(error.message || error) }));
