// The buttons of a code block are no part of the page's navigation.
function unnamed() {
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([role])")) bar.setAttribute("role", "none");
}
// A wide table is scrolled with the keyboard, too.
function reachable() {
  for (const pane of document.querySelectorAll(".md-typeset__scrollwrap"))
    if (pane.scrollWidth > pane.clientWidth) pane.tabIndex = 0;
}
addEventListener("load", reachable);
addEventListener("resize", reachable);
new MutationObserver(unnamed).observe(document.documentElement, { childList: true, subtree: true });
unnamed();
