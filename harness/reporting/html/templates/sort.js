(function () {
  "use strict";
  var table = document.getElementById("marks"), packed = document.getElementById("packed");
  if (!table || !table.tBodies.length) return;
  var body = table.tBodies[0], heads = table.tHead.rows[0].cells, collator = new Intl.Collator(undefined, { numeric: true });
  var size = packed ? body.rows.length : Infinity, first = 0, wanted = "", entries, found;
  var cause = "";  // the number of the one that is chosen
  var noun = table.dataset.noun || "submission", columns = table.dataset.find || "names or states";

  // An entry is a row's texts and a way to the row; the rows of a large class are made when they are shown.
  function of(row) {
    return { texts: Array.prototype.map.call(row.cells, function (cell) { return cell.textContent.trim(); }), causes: row.dataset.causes || "", row: function () { return row; } };
  }
  function unpacked(line) {
    var cells = line.split("\t"), flagged = cells[3] === "1";
    var texts = [cells[0], cells[2] + (flagged ? " \u2691 flagged" : "")].concat(cells.slice(5));
    return { texts: texts, causes: cells[4], row: function () { return made(texts, cells[1], cells[2], flagged, cells[4]); } };
  }
  function element(name, properties) { return Object.assign(document.createElement(name), properties); }
  function made(texts, page, state, flagged, causes) {
    var row = element("tr"), head = element("th", { scope: "row" }), link = element("a", { href: "submissions/" + page });
    if (causes) row.dataset.causes = causes;
    link.append(element("bdi", { textContent: texts[0] }));
    head.append(link);
    row.append(head, element("td", { textContent: state }));
    if (flagged) row.cells[1].append(" ", element("span", { textContent: "\u2691 flagged", className: "warn-ink" }));
    for (var i = 2; i < texts.length; i++) {
      var share = heads[i].className === "f" ? parseInt(texts[i], 10) : NaN;
      var heat = isNaN(share) ? "" : " h" + Math.min(Math.floor(share / 10), 10);
      row.append(element("td", { textContent: texts[i], className: heads[i].className + heat }));
    }
    return row;
  }
  found = entries = packed ? packed.textContent.split("\n").map(unpacked) : Array.prototype.map.call(body.rows, of);

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
  function filter() {
    found = entries.filter(function (entry) { return (!cause || (" " + entry.causes + " ").indexOf(" " + cause + " ") >= 0) && (entry.texts[0] + " " + entry.texts[1]).toLowerCase().indexOf(wanted) >= 0; });
    show(0);
  }
  function value(text, column) {
    var number = parseFloat(text);
    return isNaN(number) || !/^[-0-9]/.test(text) || column === 0 ? text : number;
  }
  function compare(left, right) {
    var numbers = (typeof left === "number") - (typeof right === "number");  // texts come first
    return numbers || (typeof left === "number" ? left - right : collator.compare(left, right));
  }
  function sort(column, down) {
    for (var i = 0; i < heads.length; i++) heads[i].removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    entries.forEach(function (entry, index) { entry.key = value(entry.texts[column], column); entry.place = entry.place === undefined ? index : entry.place; });
    entries.sort(function (a, b) { return (down ? -1 : 1) * compare(a.key, b.key) || a.place - b.place; });
    filter();
  }
  Array.prototype.forEach.call(heads, function (head, column) {
    var label = head.firstElementChild, button = element("button", { type: "button" });
    button.append(...label.childNodes);
    label.append(button);
    button.addEventListener("click", function () { sort(column, head.getAttribute("aria-sort") === "ascending"); remember(); });
  });
  var find = element("p", { className: "find" }), box = element("input", { id: "filter", type: "search" });
  var label = element("label", { htmlFor: "filter", textContent: "Show only " + columns + " with" });
  var choice = element("select", { id: "cause" }), labelled = element("label", { htmlFor: "cause", textContent: "and the cause" });
  choice.append(new Option("any", ""));
  document.querySelectorAll("[data-cause]").forEach(function (row) {
    choice.append(new Option(row.cells[1].firstElementChild.textContent, row.dataset.cause));
  });
  choice.addEventListener("change", function () { cause = choice.value; filter(); remember(); });
  box.addEventListener("input", function () { wanted = box.value.toLowerCase(); filter(); remember(); });
  var where = element("output"), back = element("button", { type: "button", textContent: "Earlier" }), on = element("button", { type: "button", textContent: "Later" });
  back.addEventListener("click", function () { show(first - size); remember(); });
  on.addEventListener("click", function () { show(first + size); remember(); });
  find.append(label, box);
  if (choice.length > 1) find.append(labelled, choice);
  if (packed) {
    find.append(back, on);
    document.getElementById("pages").hidden = true;
  }
  find.append(where);
  table.parentNode.before(find);
  function tell() {
    var last = Math.min(first + size, found.length), of = found.length.toLocaleString("en");
    if (!found.length) where.textContent = "none";
    else if (packed) where.textContent = first + 1 + "\u2013" + last + " of " + of;
    else where.textContent = wanted || cause ? of + " of " + entries.length : of + " " + noun + (entries.length === 1 ? "" : "s");
    back.disabled = first === 0;
    on.disabled = last >= found.length;
  }

  // Whoever goes to a submission and back finds the table as it was left.
  function remember() {
    var sorted = Array.prototype.findIndex.call(heads, function (head) { return head.hasAttribute("aria-sort"); });
    var down = sorted >= 0 && heads[sorted].getAttribute("aria-sort") === "descending";
    history.replaceState({ wanted: box.value, cause: cause, sorted: sorted, down: down, first: first, top: table.parentNode.scrollTop, left: table.parentNode.scrollLeft }, "");
  }
  function recall(was) {
    box.value = was.wanted;
    wanted = was.wanted.toLowerCase();
    choice.value = cause = was.cause;
    if (was.sorted >= 0 && was.sorted < heads.length) sort(was.sorted, was.down);
    else filter();
    if (was.first) show(was.first);
    table.parentNode.scrollTo(was.left, was.top);
  }
  addEventListener("pagehide", remember);
  if (history.state && typeof history.state.wanted === "string") recall(history.state);
  else tell();
}());
