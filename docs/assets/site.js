// What a reader by keyboard or by ear needs and the theme leaves out, or takes away again: names, and code that scrolls.
function mend() {
  for (const code of document.querySelectorAll("pre > code:not([tabindex])")) code.tabIndex = 0
  for (const wide of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0
  }
  document.querySelectorAll(".md-code__nav:not([aria-label])").forEach((nav) => {
    nav.setAttribute("aria-label", `Code ${nav.parentElement.id.replace("__code_", "")}`)
  })
}
document.querySelector(".md-search")?.setAttribute("aria-label", "Search")
mend()
addEventListener("resize", mend)
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true, attributeFilter: ["tabindex"] })
