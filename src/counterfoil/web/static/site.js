"use strict";
// j and k go on and back: from a record or a question to its neighbour, in a list from row to row. Nothing needs this.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  if (event.key !== "j" && event.key !== "k") return;
  const way = document.querySelector(event.key === "j" ? "a[rel=next]" : "a[rel=prev]");
  if (way) { way.click(); return; }
  const links = [...document.querySelectorAll("table tbody th a")];
  if (!links.length) return;
  const at = links.indexOf(document.activeElement);
  const to = links[Math.min(links.length - 1, Math.max(0, at + (event.key === "j" ? 1 : -1)))];
  to.focus();
  to.scrollIntoView({ block: "nearest" });
});
