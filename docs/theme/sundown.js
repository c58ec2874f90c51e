// What mdbook's pages lack for the keyboard and for screen readers.
"use strict";

// The button that opens the sidebar is the label of a hidden checkbox.
const toggle = document.getElementById("mdbook-sidebar-toggle");
toggle.setAttribute("role", "button");
toggle.tabIndex = 0;
toggle.addEventListener("keydown", (event) => {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    toggle.click();
  }
});

/** Lets the keyboard scroll what is wider than its place. */
function makeScrollable() {
  for (const element of document.querySelectorAll("pre > code, .table-wrapper")) {
    if (element.scrollWidth > element.clientWidth) {
      element.tabIndex = 0;
    } else {
      element.removeAttribute("tabindex");
    }
  }
}
makeScrollable();
window.addEventListener("load", makeScrollable);
window.addEventListener("resize", makeScrollable);
