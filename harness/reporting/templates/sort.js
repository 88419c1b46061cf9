(function () {
  "use strict";
  var table = document.getElementById("marks");
  if (!table || !table.tBodies.length) return;
  var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows), heads = table.tHead.rows[0].cells;
  function value(row, column) {
    var text = row.cells[column].textContent.trim(), number = parseFloat(text);
    return isNaN(number) || !/^[-0-9]/.test(text) || column === 0 ? text : number;
  }
  function compare(left, right) {
    if (typeof left === "number" && typeof right === "number") return left - right;
    if (typeof left === "number") return 1;
    if (typeof right === "number") return -1;
    return left.localeCompare(right, undefined, { numeric: true });
  }
  function sort(column) {
    var head = heads[column], down = head.getAttribute("aria-sort") === "ascending";
    for (var i = 0; i < heads.length; i++) heads[i].removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    var keyed = rows.map(function (row, index) { return [value(row, column), index, row]; });
    keyed.sort(function (a, b) { return (down ? -1 : 1) * compare(a[0], b[0]) || a[1] - b[1]; });
    var all = document.createDocumentFragment();
    keyed.forEach(function (entry) { all.appendChild(entry[2]); });
    body.appendChild(all);
  }
  Array.prototype.forEach.call(heads, function (head, column) {
    var label = head.firstElementChild, button = document.createElement("button");
    button.type = "button";
    while (label.firstChild) button.appendChild(label.firstChild);
    label.appendChild(button);
    button.addEventListener("click", function () { sort(column); });
  });
  var find = document.createElement("p"), label = document.createElement("label"), box = document.createElement("input");
  find.className = "find";
  label.textContent = "Show only names or states with";
  label.htmlFor = box.id = "filter";
  box.type = "search";
  box.addEventListener("input", function () {
    var wanted = box.value.toLowerCase();
    rows.forEach(function (row) {
      var text = (row.cells[0].textContent + " " + row.cells[1].textContent).toLowerCase();
      row.hidden = text.indexOf(wanted) < 0;
    });
  });
  find.appendChild(label);
  find.appendChild(box);
  table.parentNode.parentNode.insertBefore(find, table.parentNode);
}());
