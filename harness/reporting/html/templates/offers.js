// Makes a field one for comments: those that were used before are offered while typing. `actions`
// has `offered` (the comments), `typed` (the field was filled in), `save` and `leave`.
function offersComments(field, actions) {
  "use strict";
  var at = -1, fitting = [], id = "offers-" + Math.random().toString(36).slice(2);
  var offers = document.createElement("ul");
  Object.assign(offers, { className: "offers", id: id });
  offers.setAttribute("role", "listbox");
  offers.setAttribute("aria-label", "Comments to use again");
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-controls", id);
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-expanded", "false");
  field.after(offers);

  function draw() {
    offers.textContent = "";
    fitting.forEach(function (text, place) {
      var item = document.createElement("li");
      Object.assign(item, { textContent: text, id: id + "-" + place });
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", place === at);
      item.addEventListener("mousedown", function (event) { event.preventDefault(); put(text); });
      offers.append(item);
    });
    field.setAttribute("aria-expanded", fitting.length > 0);
    if (at >= 0) field.setAttribute("aria-activedescendant", id + "-" + at);
    else field.removeAttribute("aria-activedescendant");
  }
  function close() { fitting = []; at = -1; draw(); }
  function put(text) { field.value = text; close(); actions.typed(field); }
  function fit() {
    var text = field.value.trim().toLowerCase();
    function found(each) { return each.toLowerCase().indexOf(text); }
    fitting = text ? actions.offered().filter(function (each) { return found(each) >= 0 && each !== field.value; }) : [];
    // Those that begin with the text come first.
    fitting.sort(function (one, other) { return (found(one) > 0) - (found(other) > 0); });
    fitting = fitting.slice(0, 6);
    at = -1;
    draw();
  }
  function move(by) { at = Math.max(-1, Math.min(fitting.length - 1, at + by)); draw(); }
  function pressed(event) {
    var isEnter = event.key === "Enter";
    if (event.key === "Escape") { event.stopPropagation(); actions.leave(); }
    else if (event.key === "Tab" && fitting.length && !event.shiftKey) put(fitting[Math.max(at, 0)]);
    else if (fitting.length && event.key === "ArrowDown") move(1);
    else if (fitting.length && event.key === "ArrowUp") move(-1);
    else if (isEnter && at >= 0) put(fitting[at]);
    else if (isEnter && !event.shiftKey) actions.save(event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  }
  field.addEventListener("input", fit);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", function (event) { if (!event.isComposing) pressed(event); });
}
