(function () {
  "use strict";
  var table = document.getElementById("marks"), packed = document.getElementById("packed");
  if (!table || !table.tBodies.length) return;
  var body = table.tBodies[0], heads = Array.from(table.tHead.rows[0].cells), collator = new Intl.Collator(undefined, { numeric: true });
  var size = packed ? body.rows.length : Infinity, first = 0, entries, found, chosen = {};
  var noun = table.dataset.noun || "submission", columns = table.dataset.find || "names or states";
  var base = (table.dataset.base || "") + "submissions/";
  var stateColumn = place("state"), markColumn = place("mark");
  var textColumns = heads.map(function (_, at) { return at; }).filter(function (at) { return !/\b(f|number)\b/.test(heads[at].className); });

  function place(kind) { return heads.findIndex(function (head) { return head.dataset.kind === kind; }); }
  function element(name, properties, data) {
    var made = Object.assign(document.createElement(name), properties);
    Object.assign(made.dataset, data);
    return made;
  }
  function within(words, word) { return (" " + words + " ").indexOf(" " + word + " ") >= 0; }

  // An entry is a row's texts and a way to the row; the rows of a large class are made when they are shown.
  function of(row) {
    var texts = Array.from(row.cells, function (cell) { return cell.textContent.trim(); }), link = row.querySelector("a");
    return { texts: texts, causes: row.dataset.causes || "", tags: row.dataset.tags || "", page: link ? link.getAttribute("href") : "", row: function () { return row; } };
  }
  function unpacked(line) {
    var cells = line.split("\t"), texts = cells.slice(3), state = texts[stateColumn], page = base + cells[0];
    if (within(cells[2], "flagged")) texts[stateColumn] += " \u2691 flagged";
    return { texts: texts, causes: cells[1], tags: cells[2], page: page, row: function () { return made(texts, page, state, cells); } };
  }
  function made(texts, page, state, cells) {
    var row = element("tr"), head = element("th", { scope: "row" }), link = element("a", { href: page }), share = 0;
    if (cells[1]) row.dataset.causes = cells[1];
    if (cells[2]) row.dataset.tags = cells[2];
    link.append(element("bdi", { textContent: texts[0] }));
    head.append(link);
    row.append(head);
    for (var at = 1; at < texts.length; at++) {
      var kind = heads[at].dataset.kind, cell = element("td");
      if (heads[at].className) cell.className = heads[at].className;
      row.append(cell);
      if (kind === "name") cell.append(element("bdi", { textContent: texts[at] }));
      else if (kind === "state") {
        cell.append(state);
        if (within(cells[2], "flagged")) cell.append(" ", element("span", { textContent: "\u2691 flagged", className: "warn-ink" }));
      } else if (heads[at].className === "f") {
        share += 1;
        var number = parseInt(texts[at], 10);
        if (!isNaN(number)) cell.className += " h" + Math.min(Math.floor(number / 10), 10);
        cell.append(number < 100 ? element("a", { href: page + "#f" + share, textContent: texts[at] }) : texts[at]);
      } else cell.append(texts[at]);
    }
    return row;
  }
  found = entries = packed ? packed.textContent.split("\n").map(unpacked) : Array.from(body.rows, of);

  function show(from) {
    first = packed ? Math.max(0, Math.min(from, Math.floor((found.length - 1) / size) * size || 0)) : 0;
    var rows = found.slice(first, first + size).map(function (entry) { return entry.row(); });
    body.replaceChildren(...(rows.length ? rows : [nothing()]));
    table.parentNode.scrollTop = 0;
    tell();
  }
  function nothing() {
    var text = "No " + noun + " matches" + (box.value ? " \u201c" + box.value + "\u201d." : "."), row = element("tr");
    row.append(element("td", { textContent: text, colSpan: heads.length }));
    return row;
  }
  function fits(entry) {
    var wanted = box.value.toLowerCase().trim(), mark = parseFloat(entry.texts[markColumn]), band = (chosen.band || "").split(" ");
    var text = textColumns.map(function (at) { return entry.texts[at]; }).join(" ").toLowerCase();
    return (!chosen.cause || within(entry.causes, chosen.cause))
      && (!chosen["function"] || parseInt(entry.texts[chosen["function"]], 10) < 100)
      && (!chosen.band || (mark >= +band[0] && (mark < +band[1] || band[2])))
      && (!chosen.tag || within(entry.tags, chosen.tag))
      && (!chosen.state || entry.texts[stateColumn].replace(/\s*\u2691 flagged$/, "") === chosen.state)
      && text.indexOf(wanted) >= 0;
  }
  function filter() { found = entries.filter(fits); show(0); keepOrder(); counts.forEach(point); }
  function value(text, column) {
    var number = parseFloat(text);
    return isNaN(number) || !/^[-0-9]/.test(text) || textColumns.indexOf(column) >= 0 ? text : number;
  }
  function compare(left, right) {
    var numbers = (typeof left === "number") - (typeof right === "number");  // texts come first
    return numbers || (typeof left === "number" ? left - right : collator.compare(left, right));
  }
  function sort(column, down) {
    heads.forEach(function (head) { head.removeAttribute("aria-sort"); });
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    entries.forEach(function (entry, index) { entry.key = value(entry.texts[column], column); entry.place = entry.place === undefined ? index : entry.place; });
    entries.sort(function (a, b) { return (down ? -1 : 1) * compare(a.key, b.key) || a.place - b.place; });
    filter();
  }
  heads.forEach(function (head, column) {
    var label = head.firstElementChild, button = element("button", { type: "button" });
    button.append(...label.childNodes);
    label.append(button);
    // The whole cell sorts; a click on the button comes here too.
    head.addEventListener("click", function () { sort(column, head.getAttribute("aria-sort") === "ascending"); remember(); });
  });

  // The pages of submissions go through them in the order of this table.
  function keepOrder() {
    if (table.dataset.noun) return;
    var order = found.map(function (entry) { return entry.page.replace(/^.*\//, "") + "\t" + entry.texts[0]; });
    try { sessionStorage.setItem("order", order.join("\n")); } catch (error) { /* no storage: the order of ids stays */ }
  }

  var find = element("div", { className: "find" }), box = element("input", { id: "filter", type: "search" });
  var selects = {};
  find.append(labelled(box, "Find in " + columns));
  function labelled(field, text) {
    var label = element("label", { htmlFor: field.id, textContent: text + " " });
    label.append(field);
    return label;
  }
  function offer(name, text, options) {
    if (!options.length) return;
    var select = element("select", { id: name });
    select.append(new Option("any", ""));
    options.forEach(function (option) { select.append(new Option(option[0], option[1])); });
    select.addEventListener("change", function () { chosen[name] = select.value; filter(); remember(); });
    selects[name] = select;
    find.append(labelled(select, text));
  }
  function all(selector, make) { return Array.from(document.querySelectorAll(selector), make); }
  offer("cause", "Mistake", all("[data-cause]", function (row) { return [row.cells[1].firstElementChild.textContent, row.dataset.cause]; }));
  offer("function", "Loses marks in", heads.map(function (head, at) { return [head.querySelector("button").textContent, at, head.className]; }).filter(function (each) { return each[2] === "f"; }));
  offer("band", "Mark", all("#bars [data-low]", function (row, at) {
    var last = !row.nextElementSibling;
    return [row.cells[0].textContent, row.dataset.low + " " + row.dataset.high + (last ? " last" : "")];
  }));
  offer("tag", "State or problem", all("#filters [data-tag]", function (each) { return [each.textContent, each.dataset.tag]; }));
  box.addEventListener("input", function () { filter(); remember(); });
  // The counts above the table lead to their submissions.
  var counts = all(".states a", function (link) { return link; });
  counts.forEach(function (link) {
    link.addEventListener("click", function () {
      chosen = {};
      for (var name in selects) selects[name].value = "";
      box.value = "";
      if (link.dataset.state) chosen.state = link.dataset.state;
      else if (selects.tag) chosen.tag = selects.tag.value = link.dataset.tag;
      filter(); remember();
    });
  });
  function point(link) {
    var isShown = link.dataset.state ? link.dataset.state === chosen.state : link.dataset.tag === chosen.tag;
    if (isShown) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
  }
  var clear = element("button", { type: "button", textContent: "Show all" });
  clear.addEventListener("click", function () {
    chosen = {};
    box.value = "";
    for (var name in selects) selects[name].value = "";
    filter(); remember();
  });
  var where = element("output"), back = element("button", { type: "button", textContent: "Earlier" }), on = element("button", { type: "button", textContent: "Later" });
  back.addEventListener("click", function () { show(first - size); remember(); });
  on.addEventListener("click", function () { show(first + size); remember(); });
  var told = element("div", { className: "told" });
  if (packed) {
    told.append(back, on);
    document.getElementById("pages").hidden = true;
  }
  told.append(where, clear);
  find.append(told);
  table.parentNode.before(find);
  function isFiltered() { return box.value || Object.keys(chosen).some(function (name) { return chosen[name]; }); }
  function tell() {
    var last = Math.min(first + size, found.length), of = found.length.toLocaleString("en");
    if (!found.length) where.textContent = "none";
    else if (packed) where.textContent = first + 1 + "\u2013" + last + " of " + of;
    else where.textContent = isFiltered() ? of + " of " + entries.length : of + " " + noun + (entries.length === 1 ? "" : "s");
    back.disabled = first === 0;
    on.disabled = last >= found.length;
    clear.hidden = !isFiltered();
  }

  // After Back the table is as it was left.
  function remember() {
    var sorted = heads.findIndex(function (head) { return head.hasAttribute("aria-sort"); });
    var down = sorted >= 0 && heads[sorted].getAttribute("aria-sort") === "descending";
    history.replaceState({ wanted: box.value, chosen: chosen, sorted: sorted, down: down, first: first, top: table.parentNode.scrollTop, left: table.parentNode.scrollLeft, y: scrollY }, "");
  }
  function recall(was) {
    box.value = was.wanted;
    chosen = was.chosen || {};
    for (var name in selects) selects[name].value = chosen[name] || "";
    if (was.sorted >= 0 && was.sorted < heads.length) sort(was.sorted, was.down);
    else filter();
    if (was.first) show(was.first);
    table.parentNode.scrollTo(was.left, was.top);
    scrollTo(0, was.y);
  }
  // Where all columns fit there is no second thing to scroll.
  function fit() {
    var pane = table.parentNode;
    pane.classList.remove("whole");
    var fits = pane.scrollWidth <= pane.clientWidth;
    pane.classList.toggle("whole", fits);
    if (fits) pane.removeAttribute("tabindex"); else pane.tabIndex = 0;
  }
  addEventListener("resize", fit);
  fit();
  addEventListener("pagehide", remember);
  if (history.state && typeof history.state.wanted === "string") recall(history.state);
  else { tell(); keepOrder(); }
}());
