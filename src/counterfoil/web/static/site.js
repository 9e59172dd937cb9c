"use strict";
// What is under way is shown anew every few seconds, as long as somebody looks.
const live = document.querySelector("[data-live]");
if (live) {
  const again = async () => {
    if (!document.hidden) {
      try {
        const answer = await fetch(location.href);
        if (answer.redirected) { location.assign(answer.url); return; }
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const now = page.getElementById("live");
        // It is over: the page is another now.
        if (!now) { location.reload(); return; }
        document.title = page.title;
        // A list that is another now is not changed under the reader's hands.
        const told = document.getElementById("changed");
        if (told && now.dataset.stamp !== live.dataset.stamp) told.hidden = false;
        document.getElementById("live").replaceWith(now);
        if (!now.dataset.live) return;
      } catch { /* the site is away for a moment */ }
    }
    setTimeout(again, Number(live.dataset.live) * 1000);
  };
  setTimeout(again, Number(live.dataset.live) * 1000);
}

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
