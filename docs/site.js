// The buttons of a code block are no part of the page's navigation.
function unnamed() {
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([role])")) bar.setAttribute("role", "none");
}
new MutationObserver(unnamed).observe(document.documentElement, { childList: true, subtree: true });
unnamed();
