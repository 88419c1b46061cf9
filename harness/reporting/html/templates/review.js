(function () {
  "use strict";
  var ids = ["content", "said", "progress", "goto", "sought", "found", "keys", "bar", "which"];
  var [main, said, progress, list, sought, found, keys, bar, which] = ids.map(function (id) { return document.getElementById(id); });
  var entries = [], offered = [], number = 0, last = 0, made = 0, seen = 0, line = null, slot = 0, work = Promise.resolve(), waiting = 0, pressedKeys = [];

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
    var answer = await fetch(path, options).catch(function () { throw new Error("harness review has ended: start it again, nothing is lost"); });
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
        // What a browser does by itself after a key that a person pressed.
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
  function show(plain) {
    var same = plain.number === number, tops = [], at = same ? index(line) : -1;
    ["source", "marking"].forEach(function (name) { var pane = main.querySelector("." + name); tops.push(same && pane ? pane.scrollTop : 0); });
    var editor = same && main.querySelector(".editor"), kept = editor && { at: index(editor.parentNode), sent: editor.sent, text: editor.firstChild.value };
    var typed = same ? unsaved().map(function (each) { return { key: keyOf(each), value: each.value }; }) : [];
    var open = same ? Array.prototype.map.call(main.querySelectorAll("details"), function (each) { return each.open; }) : [];
    number = plain.number; seen = plain.rows[0].seen;
    main.innerHTML = plain.html;
    offered = plain.offered || offered;
    take(plain.rows);
    if (!same) slot = firstUnmarked();
    Array.prototype.forEach.call(main.querySelectorAll("details"), function (each, place) { if (open[place]) each.open = true; });
    ["source", "marking"].forEach(function (name, place) { main.querySelector("." + name).scrollTop = tops[place]; });
    line = lines()[at] || null;
    mark(); choose(slot);
    if (kept) edit(lines()[kept.at], kept.sent, kept.text);
    typed.forEach(function (each) {
      var field = fields().find(function (one) { return keyOf(one) === each.key; });
      if (field) field.value = each.value;
    });
    document.title = entryOf(number).shown + " \u00b7 Review";
    if (location.hash !== "#at=" + number) history.pushState(null, "", "/#at=" + number);
  }
  async function go(wanted) {
    if (!entryOf(wanted)) return;
    if (wanted !== number) await store();
    show(await ask("/submission/" + wanted)); say(""); main.focus({ preventScroll: true });
  }
  function send(sent, refused) {
    var on = number;
    then(function () {
      sent.number = on;
      return ask("/do", sent).then(function (plain) { say("saved"); if (on === number) { settle(sent.from); show(plain); } }, function (error) {
        if (refused && on === number) refused(error);
        throw error;
      });
    });
  }

  // Text that is typed and not stored yet. Marks and comments are stored after a pause and before
  // the submission is left; other forms wait for Enter, and the page stays until they are saved or
  // discarded.
  var PAUSE = 1200, STORED = ["mark", "comment"], pause = 0;
  function fields() { return Array.prototype.slice.call(main.querySelectorAll("form[data-do] input, form[data-do] textarea")); }
  function unsaved() { return fields().filter(function (field) { return field.value.trim() !== field.defaultValue.trim(); }); }
  function keyOf(field) {
    var sent = fieldsOf(field.form);
    return [sent.do, sent.kind, sent.slot, field.name].join(" ");
  }
  function settle(form) {
    if (form) Array.prototype.forEach.call(form.elements, function (field) { if (field.name) field.defaultValue = field.value; });
  }
  function wrongAt(field, text) {
    Array.prototype.forEach.call(main.querySelectorAll(".wrong"), function (each) { each.remove(); });
    if (!field || !text) return;
    attribute(field, { "aria-invalid": "true" });
    field.after(element("small", { className: "wrong", textContent: text }, { role: "alert" }));
  }
  async function storeForm(form, on) {
    var sent = Object.assign(fieldsOf(form), { number: on });
    Array.prototype.forEach.call(form.elements, function (field) { if (field.name) sent[field.name] = field.value.trim(); });
    var field = form.querySelector("input, textarea");
    try { took(await ask("/do", sent)); } catch (error) { wrongAt(field, error.message); field.focus(); throw error; }
    wrongAt(null); settle(form);
  }
  function took(plain) { seen = plain.rows[0].seen; offered = plain.offered || offered; take(plain.rows); say("saved"); return plain; }
  async function storeEditor(box, on) {
    var text = box.firstChild.value.trim();
    if (text === box.stored || (!text && !box.sent.comment)) return;
    var plain = took(await ask("/do", Object.assign({ text: text, number: on }, box.sent)));
    box.stored = text;
    if (box.sent.comment) return;
    // The comment is new: from now on it is changed by its id.
    var screen = document.createElement("template");
    screen.innerHTML = plain.html;
    var files = Array.prototype.slice.call(screen.content.querySelectorAll("ol.own"));
    var file = files.find(function (each) { return each.getAttribute("aria-label") === box.sent.file; });
    var own = file && Array.prototype.slice.call(file.children[box.sent.line - 1].querySelectorAll(".remark")).pop();
    if (own) box.sent = { "do": "line", comment: own.dataset.comment };
  }
  async function store() {
    var on = number, box = main.querySelector(".editor");
    clearTimeout(pause);
    if (box) { await storeEditor(box, on); box.remove(); }
    var waitingFields = unsaved();
    for (var field of waitingFields) {
      if (STORED.indexOf(field.form.dataset.do) >= 0) { if (field.value !== field.defaultValue) await storeForm(field.form, on); continue; }
      field.focus();
      wrongAt(field, "Not saved: press Enter to save, or Esc to discard");
      throw new Error("a field is not saved yet");
    }
  }
  main.addEventListener("input", function (event) {
    var field = event.target, box = field.closest(".editor");
    field.removeAttribute("aria-invalid");
    clearTimeout(pause);
    var isStored = box || (field.form && STORED.indexOf(field.form.dataset.do) >= 0 && field.value.trim());
    if (!isStored) return;
    pause = setTimeout(function () {
      var on = number;
      then(async function () {
        if (on !== number || !document.contains(field)) return;
        if (box) await storeEditor(box, on);
        else if (field.value !== field.defaultValue) await storeForm(field.form, on);
      });
    }, PAUSE);
  });
  addEventListener("beforeunload", function (event) {
    var box = main.querySelector(".editor");
    if (unsaved().length || (box && box.firstChild.value.trim() !== box.stored)) { event.preventDefault(); then(store); }
  });
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
    if (!line.querySelector(".editor")) line.append(button);
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
    if (open) {
      if (open.parentNode === item) return open.firstChild.focus();
      // The comment that is being written is stored first, and shown; then this one is opened.
      var at = index(item), which = remark && remark.dataset.comment;
      return then(async function () {
        await storeEditor(open, number);
        open.remove();
        show(await ask("/submission/" + number));
        line = lines()[at]; mark();
        comment(which ? line.querySelector("[data-comment='" + which + "']") : undefined);
      });
    }
    remark = remark || item.querySelector(".remark");
    edit(item, remark ? { "do": "line", comment: remark.dataset.comment } : Object.assign({ "do": "line" }, lineOf(item)), remark ? remark.querySelector("bdi").textContent : "");
  }
  function edit(item, sent, text) {
    var label = sent.comment ? "Comment (empty: remove it)" : "Comment on line " + sent.line;
    var box = element("div", { className: "editor", sent: sent }), field = element("textarea", { rows: 2, value: text }, { "aria-label": label });
    var original = sent.comment ? text : "";
    function leave() { clearTimeout(pause); box.remove(); mark(); main.focus({ preventScroll: true }); }
    function discard() {
      leave();
      if (box.stored !== original) send(Object.assign({ text: original }, box.sent));
    }
    function save(text, keep) {
      leave();
      if (keep && text) send({ "do": "keep", text: text });
      if (text || box.sent.comment) send(Object.assign({ text: text }, box.sent), function () { edit(item, box.sent, text); });
    }
    box.stored = original;
    box.append(field);
    item.append(box);
    mark();
    writes(field, save, discard);
    var row = element("div", { className: "row" });
    [["Save", function () { save(field.value.trim()); }], ["Save and keep for reuse", function () { save(field.value.trim(), true); }], ["Cancel", discard]].forEach(function (each) {
      var button = element("button", { type: "button", textContent: each[0] });
      button.addEventListener("click", function (event) { event.stopPropagation(); each[1](); });
      row.append(button);
    });
    box.append(row);
    field.focus();
    box.scrollIntoView({ block: "nearest" });
  }

  // A field for comments: those used before are offered while typing.
  function writes(field, save, leave) {
    var at = -1, fitting = [], id = "offers-" + Math.random().toString(36).slice(2);
    var offers = element("ul", { className: "offers", id: id }, { role: "listbox", "aria-label": "Comments to use again" });
    attribute(field, { role: "combobox", "aria-controls": id, "aria-autocomplete": "list", "aria-expanded": "false" });
    field.after(offers);
    function draw() {
      offers.textContent = "";
      fitting.forEach(function (text, place) {
        var item = element("li", { textContent: text, id: id + "-" + place }, { role: "option", "aria-selected": place === at });
        item.addEventListener("mousedown", function (event) { event.preventDefault(); put(text); });
        offers.append(item);
      });
      field.setAttribute("aria-expanded", fitting.length > 0);
      if (at >= 0) field.setAttribute("aria-activedescendant", id + "-" + at); else field.removeAttribute("aria-activedescendant");
    }
    function put(text) { field.value = text; fitting = []; at = -1; draw(); }
    field.addEventListener("input", function () {
      var text = field.value.trim().toLowerCase();
      function found(each) { return each.toLowerCase().indexOf(text); }
      fitting = text ? offered.filter(function (each) { return found(each) >= 0 && each !== field.value; }) : [];
      fitting = fitting.sort(function (one, other) { return (found(one) > 0) - (found(other) > 0); }).slice(0, 6);  // those that begin so first
      at = -1; draw();
    });
    field.addEventListener("blur", function () { fitting = []; draw(); });
    field.addEventListener("keydown", function (event) {
      if (event.isComposing) return;
      if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); leave(); }
      else if (event.key === "Tab" && fitting.length && !event.shiftKey) { event.preventDefault(); put(fitting[Math.max(at, 0)]); }
      else if (fitting.length && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
        event.preventDefault();
        at = Math.max(-1, Math.min(fitting.length - 1, at + (event.key === "ArrowDown" ? 1 : -1))); draw();
      } else if (event.key === "Enter" && at >= 0) { event.preventDefault(); put(fitting[at]); }
      else if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); save(field.value.trim(), event.ctrlKey || event.metaKey); }
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
  main.addEventListener("submit", function (event) {
    event.preventDefault();
    var form = event.target, sent = fieldsOf(form);
    clearTimeout(pause);
    Array.prototype.forEach.call(form.elements, function (each) { if (each.name) sent[each.name] = each.value; });
    Object.defineProperty(sent, "from", { value: form });
    send(sent, function (error) {
      var field = form.querySelector("input, textarea");
      wrongAt(field, error.message);
      field.focus();
      if (error.unknown) confirmed(form, sent);
    });
    main.focus({ preventScroll: true });  // the next key is not a text
  });
  // A student whom nobody knows is added only if that is confirmed.
  function confirmed(form, sent) {
    var button = element("button", { type: "button", textContent: "Add " + sent.value + " as a new student" });
    button.addEventListener("click", function () { var again = Object.assign({ added: "yes" }, sent); Object.defineProperty(again, "from", { value: form }); send(again); });
    form.append(button);
    button.focus();
  }
  main.addEventListener("focusin", function (event) {
    var field = event.target, own = field.closest("[data-slot]");
    if (own) choose(slots().indexOf(own));
    if (field.name === "text" && !field.dataset.ready) {
      field.dataset.ready = "yes";
      var was = field.value;
      writes(field, function (text, keep) {
        if (keep) send({ "do": "keep", text: text });
        was = text; send({ "do": "comment", text: text }); main.focus({ preventScroll: true });
      }, function () { field.value = was; main.focus({ preventScroll: true }); });
      field.addEventListener("blur", function () { if (field.value.trim() !== was.trim() && document.contains(field)) { was = field.value; send({ "do": "comment", text: was.trim() }); } });
    }
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
        if (!entryOf(number).reviewed) took(await ask("/do", { "do": "done", number: number }));
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
  // Undo and redo stay at this submission; what they say names the one they were about.
  function back(path) {
    then(async function () {
      await store();
      var plain = await ask(path, {});
      if (plain.number === number) show(await ask("/submission/" + number));
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
        (field.form ? Array.from(field.form.elements) : [field]).forEach(function (each) { if (each.defaultValue !== undefined) each.value = each.defaultValue; });
        wrongAt(null); main.focus({ preventScroll: true });
      }
      return;
    }
    if ((isEnter || event.key === " ") && event.target.closest("button, summary, a")) return;
    if (waiting && /^(.|Arrow.*|Enter|Escape|Tab)$/.test(event.key)) { pressedKeys.push({ key: event.key, shift: event.shiftKey, ctrl: event.ctrlKey }); event.preventDefault(); }
    else if (run(event.key)) event.preventDefault();
  });
  function fit() { document.documentElement.style.setProperty("--bar", bar.offsetHeight + "px"); }
  addEventListener("resize", fit); fit();

  function look() {
    if (document.hidden) return;
    then(async function () {
      var rows = await news(), here = rows.some(function (row) { return row.number === number && row.seen > seen; });
      var busy = main.querySelector(".editor") || unsaved().length || (document.activeElement && document.activeElement.closest("input, textarea"));
      if (here && busy) say("somebody else has changed this submission");
      else if (here) show(await ask("/submission/" + number));
    });
  }
  if (!token) return;
  then(news).then(function () {
    if (!entries.length) return say("there is no submission here", true);
    then(async function () {
      await go((start && entryOf(Number(start[1])) || entries.filter(function (entry) { return !entry.done; })[0] || entries[0]).number);
      if (start && start[2]) { line = lines()[Number(start[2]) - 1] || null; mark(); }
    });
    setInterval(look, 2000);
  });
})();
