// Buttons that several pages have, and what a tab remembers.
function toolButton(text, done) {
  "use strict";
  var made = document.createElement("button");
  Object.assign(made, { type: "button", className: "tool", textContent: text });
  made.addEventListener("click", function () { done(made); });
  return made;
}
// Without storage nothing is remembered.
function remembered(name, value) {
  "use strict";
  try {
    if (value === undefined) return sessionStorage.getItem(name);
    sessionStorage.setItem(name, value);
  } catch (error) { /* no storage */ }
  return null;
}
// A button that switches the page between light and dark, for as long as the tab is open.
function schemeButton() {
  "use strict";
  var root = document.documentElement;
  function dress(scheme) { if (scheme) root.dataset.scheme = scheme; }
  function isDark() { return root.dataset.scheme ? root.dataset.scheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches; }
  dress(remembered("scheme"));
  return toolButton("Light or dark", function () {
    var scheme = isDark() ? "light" : "dark";
    dress(scheme);
    remembered("scheme", scheme);
  });
}
// Commands and inputs are copied as they are typed: a selection leaves out names of keys.
function addCopyButtons(within) {
  "use strict";
  within.querySelectorAll("pre.copied").forEach(function (block) {
    var copy = toolButton("Copy", function () {
      var range = document.createRange(), selection = getSelection();
      range.selectNodeContents(block);
      selection.removeAllRanges();
      selection.addRange(range);
      copy.textContent = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl+C";
      setTimeout(function () { copy.textContent = "Copy"; }, 2000);
    });
    copy.classList.add("copy");
    block.after(copy);
  });
}
