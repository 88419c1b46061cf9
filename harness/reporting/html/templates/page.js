(function () {
  "use strict";
  // The page says all of it without this script, which only makes it quicker to use.
  var header = document.querySelector("header");
  if (header) {
    var toggle = schemeButton();
    toggle.classList.add("toggle");
    header.prepend(toggle);
  }
  addCopyButtons(document);

  // The program begins at its first marked line.
  document.querySelectorAll(".whole ol.own").forEach(function (program) {
    var first = program.querySelector(".exact, .look");
    if (first) program.scrollTop = Math.max(0, first.offsetTop - program.offsetTop - program.clientHeight / 3);
  });

  // A link to a line or a card also opens a folded part.
  function reveal() {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var outer = target && target.closest("details"); outer; outer = outer.parentNode.closest("details")) outer.open = true;
    if (target) target.scrollIntoView({ block: target.matches("li") ? "center" : "start" });
  }
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  // Previous and next go through the submissions in the order of the class page, as it was left.
  var links = { prev: document.querySelector("a[rel=prev]"), next: document.querySelector("a[rel=next]") };
  var here = location.pathname.replace(/^.*\//, ""), nav = document.querySelector("header nav.pages");
  var order = (remembered("order") || "").split("\n").map(function (line) { return line.split("\t"); });
  var at = order.findIndex(function (each) { return each[0] === here; });
  function lead(rel, entry, before, after) {
    var link = links[rel];
    if (!entry) { if (link) link.remove(); links[rel] = null; return; }
    if (!link) {
      link = links[rel] = document.createElement("a");
      link.rel = rel;
      if (rel === "prev" && links.next) links.next.before(link, " "); else nav.append(" ", link);
    }
    link.href = encodeURIComponent(entry[0]);
    var name = document.createElement("bdi"), unseen = document.createElement("span");
    name.textContent = entry[1];
    unseen.className = "unseen";
    unseen.textContent = rel === "prev" ? " (previous)" : " (next)";
    link.replaceChildren(before, name, unseen, after);
  }
  if (nav && at >= 0) {
    lead("prev", order[at - 1], "\u2190 ", "");
    lead("next", order[at + 1], "", " \u2192");
  }
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.target.closest("input, textarea, select, [tabindex='0']")) return;
    var link = event.key === "ArrowLeft" || event.key === "h" ? links.prev : event.key === "ArrowRight" || event.key === "l" ? links.next : null;
    if (link) { event.preventDefault(); link.click(); }
  });
}());
