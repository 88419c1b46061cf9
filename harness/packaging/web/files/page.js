// The page: written and dropped programs, the worker that checks them, and its answers.
"use strict";

(() => {
  const part = (id) => document.getElementById(id);
  const element = (name, properties) => Object.assign(document.createElement(name), properties);
  const link = (name) => new URL(name, document.baseURI).href;
  const { id, files, extra, loaded: toLoad } = self.ASSIGNMENT;
  const stubs = new Map(files), texts = new Map(files);
  const LARGEST_SHOWN = 200_000; // characters that an editor shows without pause
  const [PATIENCE, STARTING] = [2, 180]; // seconds beyond a run's limit; for Python to start
  let editor, worker, watch, current = files[0][0], ready = false;
  let asked = null, ended = []; // the present task, and its runs that had to be ended with their worker
  let game; // the game: the scenario, its files, the lines typed so far

  const tell = (text, kind = "") => {
    Object.assign(part("status"), { textContent: text, className: `box ${kind}` });
    part("status").dataset.kind = kind;
  };

  // What keeps a browser from checking, in the words of what to do.
  const FROM_A_FOLDER = "This page cannot run from a folder on disk. Put the folder on a web space, or type "
    + "“python3 -m http.server” in it and open localhost:8000.";
  const SWITCHED_OFF = "This browser has no WebAssembly, or it is switched off. Use another, or the self-check file.";
  const problem = location.protocol === "file:" ? FROM_A_FOLDER : self.WebAssembly ? "" : SWITCHED_OFF;

  // Storage may be switched off, or full: the text then lives as long as the page.
  const stored = (name, text) => {
    const key = `harness ${id} ${name}`;
    try { return text === undefined ? localStorage.getItem(key) : localStorage.setItem(key, text); } catch {
      part("kept").textContent = "This browser keeps nothing: download your file before you close the page.";
    }
  };

  // Modules of the student's own beside the files asked for, if the assignment takes some.
  const MODULE = /^[\p{L}_][\p{L}\p{N}_]*\.py$/u;
  const modules = () => [...texts.keys()].filter((name) => !stubs.has(name));
  const addTab = (name) => part("files").append(
    element("button", { type: "button", textContent: name, onclick: () => select(name) }));
  const addModule = (name) => {
    if (!part("files").children.length) addTab(files[0][0]);
    texts.set(name, "");
    addTab(name);
    stored("modules/", modules().join("/"));
  };
  const removeModule = (name) => {
    stored(name, "");
    texts.delete(name);
    stored("modules/", modules().join("/"));
    for (const each of [...part("files").children]) if (each.textContent === name) each.remove();
    if (modules().length === 0 && files.length === 1) part("files").replaceChildren();
  };

  const select = (name) => {
    current = name;
    for (const each of part("files").children) each.setAttribute("aria-pressed", each.textContent === name);
    editor.textarea.setAttribute("aria-label", `Your ${name}`);
    editor.setOptions({ value: texts.get(name) });
  };

  const write = (name, text) => {
    if (text !== texts.get(name)) stored(name, text);
    texts.set(name, text);
  };

  const startEditor = async () => {
    const names = ["index.js", "extensions/commands/index.js", "prism/languages/python.js", "languages/python.js"];
    const [core, commands] = await Promise.all(names.map((name) => import(link(`editor/${name}`))));
    for (const [name] of files) texts.set(name, stored(name) ?? texts.get(name));
    const options = { language: "python", lineNumbers: true, tabSize: 4, insertSpaces: true, value: "" };
    editor = core.createEditor(part("editor"), { ...options, onUpdate: (text) => editor && write(current, text) },
      commands.defaultCommands(), commands.editHistory());
    if (files.length > 1) for (const [name] of files) addTab(name);
    for (const name of extra ? (stored("modules/") ?? "").split("/").filter(Boolean) : []) {
      addModule(name);
      texts.set(name, stored(name) ?? "");
    }
    select(current);
    part("tools").hidden = false;
  };

  const [encoder, decoder] = [new TextEncoder(), new TextDecoder("utf-8", { fatal: true })];

  // A program comes into the editor; anything else is checked as it is, which names the mistake.
  const receive = async (given) => {
    const others = {};
    for (const file of given) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      let text;
      try { text = decoder.decode(bytes).replaceAll("\r\n", "\n"); } catch { /* it is none */ }
      if (text === undefined || text.length > LARGEST_SHOWN || !/\.py$/i.test(file.name)) others[file.name] = bytes;
      else {
        if (extra && MODULE.test(file.name) && !texts.has(file.name)) addModule(file.name);
        const name = texts.has(file.name) ? file.name : current;
        write(name, text);
        select(name);
        tell(`Loaded ${file.name}${name === file.name ? "" : `, which you hand in as ${name}`}.`);
      }
    }
    if (Object.keys(others).length) ask({ files: others });
  };

  const program = () => { // of several files those that were begun, and every module
    const asked = [...texts].filter(([name]) => stubs.has(name));
    const begun = asked.filter(([name, text]) => text !== stubs.get(name));
    const beside = modules().map((name) => [name, texts.get(name)]);
    const taken = [...(begun.length ? begun : asked), ...beside];
    return Object.fromEntries(taken.map(([name, text]) => [name, encoder.encode(text)]));
  };

  const wait = (seconds, then) => { clearTimeout(watch); watch = setTimeout(then, 1000 * seconds); };
  const startWorker = () => {
    worker?.terminate();
    ready = false;
    // A worker made from a text has this page's policy: it reaches this folder and nothing else.
    const code = new Blob([`import ${JSON.stringify(link("worker.js"))};`], { type: "text/javascript" });
    worker = new Worker(URL.createObjectURL(code), { type: "module" });
    worker.onmessage = ({ data }) => Object.entries(hear).forEach(([kind, act]) => kind in data && act(data));
    worker.onerror = ({ message }) => hear.broken({ broken: message || "a file of this page is missing" });
    wait(STARTING, () => hear.broken({ broken: "it took too long" }));
  };
  const begin = () => ready && worker.postMessage({ ...asked, ended });
  const ask = (what) => {
    if (asked) return;
    [asked, ended] = [what, []];
    closeButtons(true);
    if (isCheck(what)) showResults({ html: "", verdicts: {}, functions: [] });
    const doing = isCheck(what) ? "checking" : "running";
    tell(ready ? `${doing === "checking" ? "Checking" : "Running"}…` : `Starting Python, then ${doing}…`);
    begin();
  };
  const isCheck = (what) => !what.play && !what.run;
  const closeButtons = (areClosed) => {
    for (const name of ["check", "run"]) part(name).disabled = areClosed;
    part("stop").hidden = !asked;
  };

  const done = () => {
    clearTimeout(watch);
    asked = null;
    closeButtons(!ready);
  };

  const hear = {
    loaded: ({ loaded }) => Object.assign(part("loading"), { value: Math.min(loaded, toLoad), max: toLoad, hidden: loaded >= toLoad }),
    step: ({ step }) => asked || tell(`Starting Python (${step} of 3).`),
    ready: () => {
      clearTimeout(watch);
      ready = true;
      part("loading").hidden = true;
      if (asked) begin(); else { done(); tell("Ready."); }
      navigator.serviceWorker?.register("offline.js").catch(() => {}); // it works as long as there is a network
    },
    run: ({ run, seconds }) => {
      if (asked && isCheck(asked)) tell(`Checking… ${run}${ended.length ? ". Programs that ran too long were ended; the others continue" : ""}`);
      // One long computation listens to nobody: it ends with its worker, and the rest goes on.
      wait(seconds + PATIENCE, () => { ended.push(run); startWorker(); });
    },
    broken: ({ broken }) => {
      worker.terminate();
      ready = false;
      part("loading").hidden = true;
      done();
      tell(`Python does not start: ${broken}. Load the page again, or use another browser or the self-check file.`, "bad");
    },
    failed: ({ failed }) => { click.stop(); tell(`The check failed: ${failed}. Python starts again.`, "bad"); },
    answer: ({ answer }) => { const show = isCheck(asked) ? showAnswer : showGame; done(); show(answer); },
  };

  const showResults = ({ html, verdicts, functions }) => {
    const results = Object.assign(part("results"), { verdicts });
    results.innerHTML = html; // of our templates, which escape; this page runs no script in it
    part("functions").replaceChildren(...functions.map(([name, passed, total]) => {
      const isRight = passed === total;
      const text = `${isRight ? "✓" : "✗"} ${name} ${passed}/${total}`;
      return element("li", { textContent: text, className: isRight ? "" : "failed" });
    }));
    [part("jump").hidden, part("back").hidden] = [!html, !html];
  };

  const showAnswer = (answer) => {
    showResults(answer);
    tell(answer.told, answer.kind);
    if (answer.at && texts.has(answer.at[0])) goTo(...answer.at);
    else {
      part("results").focus({ preventScroll: true });
      part("jump").scrollIntoView({ block: "nearest" }); // on a narrow screen
    }
  };

  // Put the cursor where Python cannot read the file; line and column are from 1.
  const goTo = (name, line, column) => {
    select(name);
    const lines = texts.get(name).split("\n"), before = lines.slice(0, line - 1);
    const start = before.reduce((sum, each) => sum + each.length + 1, 0);
    const place = start + Math.min(column - 1, (lines[line - 1] ?? "").length);
    editor.textarea.focus();
    editor.textarea.setSelectionRange(place, place);
    const height = editor.container.scrollHeight / lines.length;
    editor.container.scrollTop = height * (line - 1) - editor.container.clientHeight / 2;
  };

  // A game is played from its beginning with each further line: up to there it is the same.
  const play = (lines) => {
    game.lines = lines;
    ask({ files: game.files, [game.kind]: [game.name, lines] });
  };

  const showGame = ({ screen, waits, next, hint }) => {
    game.next = next;
    const shown = screen.map(([text, typed]) => (typed ? element("b", { textContent: text }) : text));
    part("screen").replaceChildren(...shown);
    part("screen").scrollTop = part("screen").scrollHeight;
    part("next").textContent = hint;
    part("type-next").hidden = next === null;
    for (const control of part("typing").elements) control.disabled = !waits;
    if (!part("terminal").open) part("terminal").showModal();
    if (waits) part("line").focus();
    tell("Ready.");
  };

  const click = {
    check: () => ask({ files: program() }),
    run: () => {
      game = { kind: "run", name: stubs.has(current) ? current : files[0][0], files: program() };
      play([]);
    },
    stop: () => { startWorker(); done(); tell("Stopped."); },
    download: () => {
      const href = URL.createObjectURL(new Blob([texts.get(current)]));
      element("a", { href, download: current }).click();
    },
    reset: () => {
      if (!stubs.has(current)) {
        if (!confirm(`Remove ${current}?`)) return;
        removeModule(current);
        current = files[0][0];
      } else if (confirm(`Discard your changes to ${current} and restore the starter code?`)) write(current, stubs.get(current));
      select(current);
    },
    results: ({ target }) => {
      const scenario = target.closest("[data-play]")?.dataset.play;
      if (scenario) { game = { kind: "play", name: scenario, files: program() }; play([]); }
    },
    "type-next": () => play([...game.lines, game.next]),
    "play-again": () => play([]),
  };

  const listen = () => {
    for (const [name, act] of Object.entries(click)) part(name).addEventListener("click", act);
    part("open").onchange = ({ target }) => receive([...target.files]).then(() => { target.value = ""; });
    part("typing").onsubmit = (event) => {
      event.preventDefault();
      play([...game.lines, part("line").value]);
      part("line").value = "";
    };
    self.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || part("terminal").open) return;
      event.preventDefault();
      event.stopPropagation(); // in the editor it would begin a line
      part("check").click();
    }, true);
    self.ondragover = (event) => event.preventDefault();
    self.ondrop = (event) => { event.preventDefault(); receive([...event.dataTransfer.files]); };
  };

  if (problem) { tell(problem, "bad"); return; }
  tell("Starting Python. The first time it loads 17 MB.");
  startEditor().then(listen).then(startWorker).catch(({ message }) => tell(`This page does not start: ${message}`, "bad"));
})();
