// The buttons of a code block are no part of the page's navigation.
function asGroups() {
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([role])")) bar.setAttribute("role", "group");
}
new MutationObserver(asGroups).observe(document.documentElement, { childList: true, subtree: true });
asGroups();
