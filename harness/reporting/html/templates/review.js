(function () {
  "use strict";
  var ids = ["content", "said", "progress", "goto", "sought", "found", "keys", "bar", "which"];
  var [main, said, progress, list, sought, found, keys, bar, which] = ids.map(function (id) { return document.getElementById(id); });
  var entries = [], offered = [], number = 0, last = 0, made = 0, line = null, slot = 0, work = Promise.resolve(), waiting = 0, pressedKeys = [];
  // The newest change of this submission that the screen shows.
  var displayed = 0, drafts = Drafts();

  // The token comes behind a # that no server is sent, and leaves the address before anything else.
  var given = /[#&]token=([A-Za-z0-9_-]+)/.exec(location.hash), start = /[#&]at=(\d+)(?::(\d+))?/.exec(location.hash);
  if (given) sessionStorage.setItem("token", given[1]);
  history.replaceState(null, "", start ? "/#at=" + start[1] : "/");
  var token = sessionStorage.getItem("token");

  function attribute(node, values) { for (var name in values) node.setAttribute(name, values[name]); return node; }
  function element(name, properties, attributes) { return attribute(Object.assign(document.createElement(name), properties), attributes); }
  function say(text, bad) { said.textContent = text; said.className = bad ? "bad" : ""; }
  async function ask(path, sent) {
    var options = { headers: { "X-Token": token }, cache: "no-store", credentials: "omit" };
    if (sent) {
      Object.assign(options, { method: "POST", body: JSON.stringify(sent) });
      options.headers["Content-Type"] = "application/json";
    }
    var answer = await fetch(path, options).catch(function () { throw new Error("harness review has ended: start it again. Unsaved text stays on this page: copy it"); });
    var plain = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(plain.error), { unknown: plain.unknown });
    return plain;
  }
  // One after the other, in the order of the keys: a key that is pressed while the page waits is
  // for the screen that comes, and text for the field that opens there.
  function then(step) {
    waiting += 1;
    work = work.then(step).catch(function (error) { say(error.message, true); }).then(function () { waiting -= 1; replay(); });
    return work;
  }
  function replay() {
    while (!waiting && pressedKeys.length) {
      var pressed = pressedKeys.shift(), key = pressed.key, field = document.activeElement.closest("input, textarea");
      if (!field) run(key);
      else if (key.length === 1) {
        field.setRangeText(key, field.selectionStart, field.selectionEnd, "end");
        field.dispatchEvent(new Event("input", { bubbles: true }));
      } else if (field.dispatchEvent(new KeyboardEvent("keydown", { key: key, shiftKey: pressed.shift, ctrlKey: pressed.ctrl, bubbles: true, cancelable: true }))) {
        // The browser's own reactions to a key.
        if (key === "Enter" && pressed.shift) field.setRangeText("\n", field.selectionStart, field.selectionEnd, "end");
        else if (key === "Enter" && field.form) field.form.requestSubmit();
        else if (key === "Tab" && field.form) { var every = Array.prototype.slice.call(field.form.elements); (every[every.indexOf(field) + 1] || field).focus(); }
      }
    }
  }

  function entryOf(wanted) { return entries.find(function (entry) { return entry.number === wanted; }); }
  function take(rows) {
    rows.forEach(function (row) { Object.assign(entryOf(row.number) || {}, row); });
    var done = entries.filter(function (entry) { return entry.done; }).length;
    progress.textContent = done + " of " + entries.length + " done";
  }
  // What others changed; at first, and when the run was graded again, all of it.
  async function news() {
    var plain = await ask("/since/" + made + "/" + last), anew = plain.made !== made;
    if (anew) entries = plain.rows;
    made = plain.made; last = plain.last; offered = plain.offered || offered;
    take(plain.rows);
    return anew ? [] : plain.rows;
  }
  // A click is for the screen on which it began: no other comes before it ends.
  var held = null;
  addEventListener("pointerdown", function () {
    if (held) return;
    held = {};
    held.ended = new Promise(function (end) { held.end = end; setTimeout(end, 2000); });
  }, true);
  ["pointerup", "pointercancel"].forEach(function (kind) {
    addEventListener(kind, function () {
      // The click follows this event.
      if (held) setTimeout(held.end);
      held = null;
    }, true);
  });
  async function show(plain) {
    if (held) await held.ended;
    draw(plain);
  }
  function draw(plain) {
    var before = plain.number === number ? view() : null;
    number = plain.number; displayed = plain.rows[0].seen;
    main.innerHTML = plain.html;
    addCopyButtons(main);
    offered = plain.offered || offered;
    take(plain.rows);
    if (!before) slot = firstUnmarked();
    restore(before);
    mark(); choose(slot);
    document.title = entryOf(number).shown + " \u00b7 Review";
    if (location.hash !== "#at=" + number) history.pushState(null, "", "/#at=" + number);
  }
  var PANES = [".source", ".marking"];
  function details() { return Array.prototype.slice.call(main.querySelectorAll("details")); }
  function focused() { var field = document.activeElement; return field && main.contains(field) && field.form && field.form.dataset.do ? field : null; }
  // The user's place on the screen, which is drawn anew.
  function view() {
    var field = focused(), editor = main.querySelector(".editor");
    return {
      tops: PANES.map(function (pane) { return (main.querySelector(pane) || {}).scrollTop || 0; }),
      open: details().map(function (each) { return each.open; }),
      line: index(line),
      key: field && keyOf(field),
      selection: field && [field.selectionStart, field.selectionEnd],
      editor: editor && editor.contains(field) ? fieldsOf(editor) : null
    };
  }
  function restore(before) {
    var key = before ? before.key : null;
    if (before) {
      details().forEach(function (each, place) { if (before.open[place]) each.open = true; });
      PANES.forEach(function (pane, place) { main.querySelector(pane).scrollTop = before.tops[place]; });
    }
    line = before && lines()[before.line] || null;
    if (before && before.editor) reopen(before.editor);
    drafts.of(number).forEach(function (draft) {
      // Stored text needs no draft any more, unless somebody is still writing it.
      if (!drafts.waits(draft) && draft.key !== key) return drafts.drop(draft);
      var field = fieldOf(draft.key) || (draft.sent && draft.sent.do === "line" && reopen(draft.sent));
      if (!field) return;
      field.value = draft.text;
      if (field.closest("details")) field.closest("details").open = true;
    });
    var field = key && fieldOf(key);
    if (field) { field.focus({ preventScroll: true }); field.setSelectionRange(before.selection[0], before.selection[1]); }
  }
  async function redraw() { await show(await ask("/submission/" + number)); }
  async function go(wanted) {
    if (!entryOf(wanted)) return;
    if (wanted !== number) await store();
    await show(await ask("/submission/" + wanted)); say(""); main.focus({ preventScroll: true });
  }
  function tell(plain) {
    say("saved" + (plain.replaced && plain.replaced.length ? "; it replaces the newer change by " + plain.replaced.join(", ") : ""));
  }
  function send(sent) {
    var about = Object.assign({ number: number, seen: displayed }, sent);
    then(async function () {
      var plain = await ask("/do", about);
      if (about.number === number) await show(plain);
      tell(plain);
    });
  }

  // Marks and comments are stored as they are typed, after a pause and before the submission is left.
  // Other forms wait for Enter, and the page stays until they are saved or discarded.
  var PAUSE = 1200, STORED = ["mark", "comment", "line"], pause = 0;
  function keyOf(field) {
    var sent = fieldsOf(field.form);
    return [sent.do, sent.kind, sent.slot, sent.comment, field.name].join(" ");
  }
  function fields() { return Array.prototype.slice.call(main.querySelectorAll("form[data-do] [name]")); }
  function fieldOf(key) { return fields().find(function (field) { return keyOf(field) === key; }); }
  function fieldsIn(form) { return Array.prototype.filter.call(form.elements, function (field) { return field.name; }); }
  function draftsIn(form) {
    return fieldsIn(form).map(function (field) { return drafts.get(number, keyOf(field)); }).filter(Boolean);
  }
  function typed(field) {
    var form = field.form, isStored = STORED.indexOf(form.dataset.do) >= 0;
    var start = { stored: field.defaultValue.trim(), sent: isStored ? fieldsOf(form) : null, name: field.name, seen: displayed };
    var draft = drafts.typed(number, keyOf(field), field.value, start);
    field.removeAttribute("aria-invalid");
    clearTimeout(pause);
    // A field that is emptied may be about to be filled again.
    if (draft.sent && draft.text.trim()) pause = setTimeout(function () { then(storeWaiting); }, PAUSE);
  }
  main.addEventListener("input", function (event) {
    var form = event.target.form;
    if (form && form.dataset.do) typed(event.target);
  });
  function wrongAt(field, text) {
    Array.prototype.forEach.call(main.querySelectorAll(".wrong, .confirm"), function (each) { each.remove(); });
    if (!field || !text) return;
    attribute(field, { "aria-invalid": "true" });
    (field.closest("label") || field).after(element("small", { className: "wrong", textContent: text }, { role: "alert" }));
  }
  async function storeDraft(draft) {
    var text = draft.text.trim(), sent = { number: draft.number, seen: draft.seen, "continues": draft.change };
    Object.assign(sent, draft.sent);
    sent[draft.name] = text;
    try {
      var plain = await ask("/do", sent);
    } catch (error) {
      if (draft.number === number) wrongAt(fieldOf(draft.key), error.message);
      throw error;
    }
    settle([draft], sent, plain);
    return plain;
  }
  // The text is stored: drafts that hold more wait for the next pause.
  function settle(sentDrafts, sent, plain) {
    sentDrafts.forEach(function (draft) {
      var text = sent[draft.name].trim(), field = draft.number === number && fieldOf(draft.key);
      drafts.took(draft, text, plain.change, plain.rows[0].seen);
      if (field) field.defaultValue = text;
    });
    wrongAt(null);
    offered = plain.offered || offered;
    take(plain.rows);
    tell(plain);
  }
  async function storeWaiting() {
    for (var draft of drafts.waiting()) {
      if (draft.sent && draft.text.trim()) await storeDraft(draft);
    }
  }
  // Before the submission is left: what cannot be stored keeps the page here.
  async function store() {
    clearTimeout(pause);
    var here = drafts.waiting().filter(function (draft) { return draft.number === number; });
    for (var draft of here) {
      var field = fieldOf(draft.key);
      if (draft.sent) {
        try { await storeDraft(draft); } catch (error) { if (field) field.focus(); throw error; }
        continue;
      }
      wrongAt(field, "Not saved: press Enter to save, or Esc to discard");
      if (field) field.focus();
      throw new Error("a field is not saved yet");
    }
    drafts.of(number).forEach(function (draft) { drafts.drop(draft); });
  }
  function leaveField() { clearTimeout(pause); main.focus({ preventScroll: true }); }
  function saveForm(form, more) {
    var sent = Object.assign({ number: number, seen: displayed }, fieldsOf(form), more), written = draftsIn(form);
    fieldsIn(form).forEach(function (field) { sent[field.name] = field.value; });
    var isStored = STORED.indexOf(sent.do) >= 0;
    leaveField();
    then(async function () {
      // Nothing new was typed, or a pause has stored it.
      if (isStored && !written.some(drafts.waits)) return redraw();
      if (written.length) Object.assign(sent, { "continues": written[0].change, seen: written[0].seen });
      try {
        var plain = await ask("/do", sent);
      } catch (error) {
        if (sent.number === number) refused(form, sent, error);
        throw error;
      }
      settle(written, sent, plain);
      if (sent.number === number) await show(plain);
    });
  }
  function refused(form, sent, error) {
    var field = fieldsIn(form)[0], now = field && fieldOf(keyOf(field));
    if (!now) return;
    wrongAt(now, error.message);
    now.focus();
    if (error.unknown) confirmed(now.form, sent);
  }
  // A student whom nobody knows is added only if that is confirmed.
  function confirmed(form, sent) {
    var button = element("button", { type: "button", className: "confirm", textContent: "Add " + sent.value + " as a new student" });
    button.addEventListener("click", function () { saveForm(form, { added: "yes" }); });
    form.append(button);
    button.focus();
  }
  function discard(form) {
    var written = draftsIn(form);
    written.forEach(drafts.drop);
    fieldsIn(form).forEach(function (field) { field.value = field.defaultValue; });
    wrongAt(null);
    if (form.classList.contains("editor")) close(form);
    leaveField();
    then(async function () {
      // A pause may have stored it; it is the writer's to take back.
      for (var draft of written) if (draft.change) await ask("/undo", { change: draft.change });
      if (written.some(function (draft) { return draft.change; })) await redraw();
    });
  }
  addEventListener("beforeunload", function (event) {
    if (drafts.waiting().length) { event.preventDefault(); then(storeWaiting); }
  });
  document.addEventListener("visibilitychange", function () { if (document.hidden && drafts.waiting().length) then(storeWaiting); });
  addEventListener("popstate", function () {
    var wanted = /[#&]at=(\d+)/.exec(location.hash);
    if (wanted && Number(wanted[1]) !== number) then(function () { return go(Number(wanted[1])); });
  });
  function place() { return entries.indexOf(entryOf(number)); }
  function step(by) { then(function () { var next = entries[place() + by]; if (next) return go(next.number); say(by > 0 ? "this is the last one" : "this is the first one"); }); }
  function next() {
    then(function () {
      var from = place() + 1, rest = entries.slice(from).concat(entries.slice(0, from));
      var open = rest.filter(function (entry) { return !entry.done && entry.number !== number; })[0];
      if (open) return go(open.number);
      say(entries.every(function (entry) { return entry.done; }) ? "everything is marked" : "this is the only one left");
    });
  }

  // Lines of the source.
  function lines() { return Array.prototype.slice.call(main.querySelectorAll(".source .whole ol.own > li")); }
  function index(item) { return lines().indexOf(item); }
  function mark() {
    lines().forEach(function (item) { item.classList.toggle("current", item === line); });
    Array.prototype.forEach.call(main.querySelectorAll(".say-here"), function (each) { each.remove(); });
    if (!line) return;
    // For those who have no keys.
    var button = element("button", { type: "button", className: "say-here", textContent: "Comment" }, { tabindex: "-1" });
    if (!line.querySelector(".editor")) line.prepend(button);
    line.scrollIntoView({ block: "nearest" });
  }
  function move(by, noted) {
    var every = lines(), at = line ? index(line) + by : 0;
    while (noted && every[at] && !every[at].querySelector(".note, .remark")) at += by;
    if (every[at]) { line = every[at]; mark(); }
  }
  function lineOf(item) { return { file: item.parentNode.getAttribute("aria-label"), line: Array.prototype.indexOf.call(item.parentNode.children, item) + 1 }; }
  function comment(remark) {
    if (!line && !remark) move(1);
    var item = remark ? remark.parentNode : line;
    if (!item) return commands.g();
    var open = main.querySelector(".editor");
    if (open && (open.parentNode === item || (remark && remark.hidden))) return fieldsIn(open)[0].focus();
    if (!open) return edit(item, remark || item.querySelector(".remark"));
    // The comment that is being written is stored first, and shown; then this one is opened.
    var at = index(item), wanted = remark ? remark.dataset.comment : "";
    leaveField();
    then(async function () {
      await store();
      await redraw();
      line = lines()[at]; mark();
      edit(line, remarkOf(wanted) || line.querySelector(".remark"));
    });
  }
  function remarkOf(id) {
    return Array.prototype.find.call(main.querySelectorAll(".remark"), function (each) { return each.dataset.comment === id; });
  }
  function newId() {
    var numbers = Array.from(crypto.getRandomValues(new Uint8Array(16)));
    return numbers.map(function (each) { return each.toString(16).padStart(2, "0"); }).join("");
  }
  function edit(item, remark) {
    var about = Object.assign({ comment: remark ? remark.dataset.comment : newId() }, lineOf(item));
    var field = opened(item, about, remark ? textOf(remark) : "");
    field.focus();
    field.form.scrollIntoView({ block: "nearest" });
  }
  function textOf(remark) { return remark.querySelector("bdi").textContent; }
  // The editor of a comment again, on a screen that was drawn anew; returns its field.
  function reopen(sent) {
    var remark = remarkOf(sent.comment), every = lines();
    var item = remark ? remark.parentNode : every.find(function (each) { var at = lineOf(each); return at.file === sent.file && at.line === sent.line; });
    return opened(item || every[every.length - 1] || main.querySelector(".source"), sent, remark ? textOf(remark) : "");
  }
  function opened(item, about, text) {
    var remark = remarkOf(about.comment);
    var form = element("form", { className: "editor" }, { "data-do": "line", "data-comment": about.comment, "data-file": about.file, "data-line": about.line });
    var field = element("textarea", { name: "text", rows: 2, defaultValue: text }, { "aria-label": text ? "Comment (empty: remove it)" : "Comment on line " + about.line });
    var row = element("div", { className: "row" }), keep = element("button", { type: "button", textContent: "Save and keep for reuse" }), cancel = element("button", { type: "button", textContent: "Cancel" });
    if (remark) remark.hidden = true;
    row.append(element("button", { textContent: "Save" }), keep, cancel);
    form.append(field, row);
    item.append(form);
    commented(form, field);
    keep.addEventListener("click", function () { keepForReuse(field); saveForm(form); });
    cancel.addEventListener("click", function () { discard(form); });
    mark();
    return field;
  }
  function close(form) {
    var remark = remarkOf(form.dataset.comment);
    form.remove();
    if (remark) remark.hidden = false;
    mark();
  }
  function keepForReuse(field) { if (field.value.trim()) send({ "do": "keep", text: field.value.trim() }); }
  function commented(form, field) {
    offersComments(field, {
      offered: function () { return offered; },
      typed: typed,
      save: function (keep) { if (keep) keepForReuse(field); saveForm(form); },
      leave: function () { discard(form); }
    });
  }

  // Marks.
  function slots() { return Array.prototype.slice.call(main.querySelectorAll(".slot[data-slot]")); }
  function firstUnmarked() {
    return Math.max(0, slots().findIndex(function (each) { return each.querySelector("[name=mark]").value === ""; }));
  }
  function choose(at) {
    var every = slots();
    slot = every.length ? (at + every.length) % every.length : 0;
    every.forEach(function (each, place) { each.classList.toggle("active", place === slot && every.length > 1); });
    return every[slot];
  }
  function fieldsOf(sender) {  // a button or a form
    var fields = Object.assign({}, sender.dataset), own = sender.closest("[data-slot]");
    if (own) fields.slot = own.dataset.slot;
    if (fields.line) fields.line = Number(fields.line);
    return fields;
  }
  function pressed(button) {
    var fields = fieldsOf(button);
    if (button.getAttribute("aria-pressed") === "true") { if (fields.do === "pick") fields.off = "yes"; else fields.value = ""; }
    send(fields);
  }
  function item(at) {
    var own = choose(slot), group = own && own.querySelectorAll(".item")[at];
    if (!group) return;
    var buttons = Array.from(group.querySelectorAll("button"));
    var now = buttons.findIndex(function (each) { return each.getAttribute("aria-pressed") === "true"; });
    pressed(buttons[now + 1] || buttons[now]);
  }
  function into(pane, name) {
    var field = pane && pane.querySelector(name);
    if (!field) return;
    var closed = field.closest("details");
    if (closed) closed.open = true;
    field.focus();
    if (field.select) field.select();
  }

  main.addEventListener("click", function (event) {
    if (event.target.closest(".say-here")) return comment();
    var button = event.target.closest("button[data-do]"), remark = event.target.closest(".remark"), item = event.target.closest(".source .whole ol.own > li");
    if (button) return pressed(button);
    if (event.target.closest("[data-preview]")) return preview();
    var link = event.target.closest("a[href^='#cause-']"), cause = link && document.getElementById(link.hash.slice(1));
    if (cause) { event.preventDefault(); cause = cause.closest("details"); cause.open = true; cause.scrollIntoView({ block: "nearest" }); }
    if (event.target.closest("a, .editor")) return;
    if (item) { line = item; mark(); }
    if (remark) return comment(remark);
    // A click on the number of a line.
    if (item && event.clientX < item.getBoundingClientRect().left + parseFloat(getComputedStyle(item).paddingLeft)) return comment();
    var file = event.target.closest(".source .whole ol.own");
    if (file && !item) {
      line = Array.prototype.find.call(file.children, function (each) { var at = each.getBoundingClientRect(); return at.top <= event.clientY && event.clientY < at.bottom; }) || line;
      mark(); comment();
    }
  });
  main.addEventListener("submit", function (event) { event.preventDefault(); saveForm(event.target); });
  main.addEventListener("focusin", function (event) {
    var field = event.target, pane = field.closest("[data-slot]");
    if (pane) choose(slots().indexOf(pane));
    if (field.form && field.form.dataset.do === "comment" && !field.hasAttribute("role")) commented(field.form, field);
  });

  // The list of all.
  function seek() {
    var text = sought.value.trim().toLowerCase();
    found.textContent = "";
    entries.forEach(function (entry) {
      var state = entry.status + ", " + (entry.done ? "done" : entry.begun ? "begun" : "to mark") + (entry.reason ? ", " + entry.reason : "");
      if (which.value === "open" ? entry.done : which.value && !entry[which.value]) return;
      if ((entry.shown + " " + entry.name + " " + state).toLowerCase().indexOf(text) < 0) return;
      var name = element("bdi", { textContent: entry.shown + (entry.name ? " \u00b7 " + entry.name : "") }), row = element("li");
      var button = element("button", { type: "button" }, { "aria-current": entry.number === number });
      button.append(name, element("span", { textContent: state + (entry.mark ? " \u00b7 " + entry.mark : "") }));
      button.addEventListener("click", function () { list.close(); then(function () { return go(entry.number); }); });
      row.append(button); found.append(row);
    });
    if (!found.children.length) found.append(element("li", { textContent: "No submission fits." }));
  }
  sought.addEventListener("input", seek);
  which.addEventListener("change", seek);
  list.addEventListener("keydown", function (event) {
    var every = Array.prototype.slice.call(found.querySelectorAll("button")), at = every.indexOf(document.activeElement);
    if (event.key === "ArrowDown" && every[at + 1]) { event.preventDefault(); every[at + 1].focus(); }
    else if (event.key === "ArrowUp") { event.preventDefault(); (every[at - 1] || sought).focus(); }
    else if (event.key === "Enter" && document.activeElement === sought && every[0]) { event.preventDefault(); every[0].click(); }
  });

  var commands = {
    n: next, h: function () { step(-1); }, l: function () { step(1); }, ArrowLeft: function () { step(-1); }, ArrowRight: function () { step(1); },
    d: function () {
      then(async function () {
        await store();
        if (!entryOf(number).reviewed) take((await ask("/do", { "do": "done", number: number })).rows);
        next();
      });
    },
    j: function () { move(1); }, k: function () { move(-1); }, ArrowDown: function () { move(1); }, ArrowUp: function () { move(-1); },
    ".": function () { move(1, true); }, ",": function () { move(-1, true); },
    c: function () { comment(); }, s: function () { var own = choose(slot + 1); if (own) own.scrollIntoView({ block: "nearest" }); },
    m: function () { into(choose(slot), "[name=mark]"); }, a: function () { into(choose(slot), "[name=title]"); },
    g: function () { into(main, "[data-do=comment] [name=text]"); }, o: function () { into(main, "[data-do=override] [name=mark]"); },
    x: function () { into(main.querySelector("#held"), "button, input"); },
    "0": function () { var own = choose(slot); if (own) pressed(own.querySelector("[data-mark=start]")); },
    u: function () { back("/undo"); }, r: function () { back("/redo"); }, p: preview,
    "/": function () { sought.value = ""; seek(); list.showModal(); sought.focus(); },
    "?": function () { keys.showModal(); }
  };
  // Undo and redo stay at this submission; their message names the one that they changed.
  function back(path) {
    then(async function () {
      await store();
      var plain = await ask(path, {});
      await redraw();
      await news();
      say(plain.said);
    });
  }
  function preview() {
    // The tab is opened at once: later a browser would take it for an advertisement.
    var tab = window.open("", "_blank");
    then(async function () {
      await store();
      var plain = await ask("/preview/" + number, {});
      if (tab) tab.location = plain.path; else say("allow this page to open a tab", true);
    });
  }
  function run(key) {
    if (/^[1-9]$/.test(key)) item(Number(key) - 1);
    else if (Object.prototype.hasOwnProperty.call(commands, key)) commands[key]();
    else return false;
    return true;
  }
  bar.addEventListener("click", function (event) { var button = event.target.closest("[data-key]"); if (button && number) run(button.dataset.key); });
  document.addEventListener("keydown", function (event) {
    var field = event.target.closest("input, textarea, select"), isEnter = event.key === "Enter";
    if (event.metaKey || event.altKey || (event.ctrlKey && !isEnter) || list.open || keys.open || !number || !(event.isTrusted || field)) return;
    if (field) {
      if (event.key === "Escape") {
        if (field.form && field.form.dataset.do) discard(field.form);
        else main.focus({ preventScroll: true });
      }
      return;
    }
    if ((isEnter || event.key === " ") && event.target.closest("button, summary, a")) return;
    if (waiting && /^(.|Arrow.*|Enter|Escape|Tab)$/.test(event.key)) { pressedKeys.push({ key: event.key, shift: event.shiftKey, ctrl: event.ctrlKey }); event.preventDefault(); }
    else if (run(event.key)) event.preventDefault();
  });
  var scheme = attribute(schemeButton(), { "aria-label": "Light or dark", title: "Light or dark" });
  scheme.textContent = "\u25d0";
  bar.querySelector("[data-key='?']").before(scheme);
  // On a narrow screen the marks are below the program.
  var jump = document.getElementById("jump");
  jump.addEventListener("click", function () {
    var pane = main.querySelector(isAtMarks() ? ".source" : ".marking");
    if (pane) pane.scrollIntoView();
  });
  function isAtMarks() {
    var pane = main.querySelector(".marking");
    return Boolean(pane) && pane.getBoundingClientRect().top < innerHeight / 2;
  }
  addEventListener("scroll", function () { jump.textContent = isAtMarks() ? "Program \u2191" : "Marks \u2193"; }, { passive: true });
  function fit() { document.documentElement.style.setProperty("--bar", bar.offsetHeight + "px"); }
  new ResizeObserver(fit).observe(bar);

  function look() {
    if (document.hidden) return;
    then(async function () {
      await news();
      var entry = entryOf(number);
      if (!entry || entry.seen <= displayed) return;
      if (!focused()) return redraw();
      // Again after each "saved", until it is shown.
      var notice = "somebody else has changed this submission: you will see it when you leave this field";
      if (entry.others > displayed && said.textContent !== notice) say(notice);
    });
  }
  if (!token) return;
  main.querySelector("p").textContent = "Loading the submissions\u2026";
  then(news).then(function () {
    if (!entries.length) return say("this list has no submissions", true);
    then(async function () {
      await go((start && entryOf(Number(start[1])) || entries.filter(function (entry) { return !entry.done; })[0] || entries[0]).number);
      if (start && start[2]) { line = lines()[Number(start[2]) - 1] || null; mark(); }
    });
    setInterval(look, 2000);
  });
})();
