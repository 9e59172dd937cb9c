"use strict";
// Without this script every answer is a form of its own; with it, answers are sent without leaving the page.
const trouble = document.getElementById("trouble");
const next = document.getElementById("next");

function items() { return [...document.querySelectorAll("form.item")]; }

const FIELD = "input[name=value]:not([type=hidden]), textarea";

// A field to write into has the focus; where buttons are to choose from, their frame has: no key but a choice's answers.
function focusOn(form) {
  (form.querySelector(FIELD) || form.querySelector("fieldset")).focus();
}

function goOn() {
  const open = items().find((form) => !form.classList.contains("saved"));
  if (open) focusOn(open); else next.focus();
  (open || next).scrollIntoView({ block: "nearest" });
}

// Answers are sent one after the other, so that the last one holds. Enter in a field tells of a change and of a form
// that is sent, and is one answer.
let line = Promise.resolve();
const waiting = new Map();

function send(form, value, moveOn) {
  const same = waiting.get(form);
  if (same && same.value === value) {
    same.moveOn = same.moveOn || moveOn;
    return;
  }
  const mine = { value, moveOn };
  waiting.set(form, mine);
  form.querySelector(".state").textContent = "saving…";
  line = line.then(() => post(form, mine));
}

function show(form, value, seen) {
  form.elements.seen.value = seen;
  form.classList.toggle("saved", value !== null);
  for (const button of form.querySelectorAll("button[name=value]")) {
    button.setAttribute("aria-pressed", String(button.value === value));
  }
}

async function post(form, mine) {
  const state = form.querySelector(".state");
  const body = new URLSearchParams(new FormData(form));
  body.set("value", mine.value);
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
    const said = await answer.text();
    if (!answer.ok) {
      let reason = said;
      try {
        const known = JSON.parse(said);
        reason = known.error;
        if (answer.status === 409) {
          show(form, known.value, known.seen);
          const field = form.querySelector(FIELD);
          if (field) field.value = known.value || "";
        }
      } catch { /* a sentence of the guard */ }
      throw new Error(reason);
    }
    const stand = JSON.parse(said);
    show(form, mine.value, stand.seen);
    state.textContent = "saved";
    trouble.textContent = "";
    document.getElementById("done").textContent = stand.done;
    document.getElementById("tasks").textContent = stand.tasks;
    document.getElementById("progress").value = stand.done;
    if (mine.moveOn && waiting.get(form) === mine) goOn();
  } catch (error) {
    state.textContent = "not saved";
    trouble.textContent = `Not saved: ${error.message} Try again.`;
  } finally {
    if (waiting.get(form) === mine) waiting.delete(form);
  }
}

for (const form of items()) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    const field = form.querySelector(FIELD);
    send(form, button && button.name === "value" ? button.value : field.value, true);
  });
  const field = form.querySelector(FIELD);
  if (field) field.addEventListener("change", () => { if (field.value && field.checkValidity()) send(form, field.value, false); });
  for (const button of form.querySelectorAll(".suggestion")) {
    button.addEventListener("click", () => {
      const lines = field.value.split("\n").filter((line) => line.trim());
      if (!lines.includes(button.dataset.name)) lines.push(button.dataset.name);
      field.value = lines.join("\n");
      send(form, field.value, false);
    });
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const forms = [event.target.closest("form.item"), items().find((it) => !it.classList.contains("saved"))];
  const key = CSS.escape(event.key.toLowerCase());
  const [button] = forms.map((form) => form && form.querySelector(`button[data-key="${key}"]`)).filter(Boolean);
  if (button) { event.preventDefault(); button.click(); } else if (event.key === "u") document.getElementById("undo").click();
});

const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
if (named) { if (named.matches("form.item")) focusOn(named); else named.focus(); }
else goOn();
