"use strict";
// Without this script every answer is a form of its own; with it, answers are sent without leaving the page.
const trouble = document.getElementById("trouble");
const next = document.getElementById("next");

function items() { return [...document.querySelectorAll("form.item")]; }

function goOn() {
  const open = items().find((form) => !form.classList.contains("saved"));
  const target = open ? open.querySelector("button[name=value], input[name=value]:not([type=hidden]), textarea") : next;
  target.focus();
  (open || next).scrollIntoView({ block: "nearest" });
}

// What is on its way, by form: Enter in a field tells of a change and of a form that is sent, and is one answer.
const sending = new Map();

async function send(form, value, moveOn) {
  const same = sending.get(form);
  if (same && same.value === value) {
    same.moveOn = same.moveOn || moveOn;
    return;
  }
  if (!same && form.dataset.saved === value) {
    if (moveOn) goOn();
    return;
  }
  const mine = { value, moveOn };
  sending.set(form, mine);
  const state = form.querySelector(".state");
  const body = new URLSearchParams(new FormData(form));
  body.set("value", value);
  state.textContent = "saving…";
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
    const said = await answer.text();
    if (!answer.ok) {
      let reason = said;
      try { reason = JSON.parse(said).error; } catch { /* a sentence of the guard */ }
      throw new Error(reason);
    }
    const stand = JSON.parse(said);
    form.classList.add("saved");
    form.dataset.saved = value;
    state.textContent = "saved";
    trouble.textContent = "";
    for (const button of form.querySelectorAll("button[name=value]")) {
      button.setAttribute("aria-pressed", String(button.value === value));
    }
    document.getElementById("done").textContent = stand.done;
    document.getElementById("tasks").textContent = stand.tasks;
    document.getElementById("progress").value = stand.done;
    if (mine.moveOn) goOn();
  } catch (error) {
    state.textContent = "not saved";
    trouble.textContent = `Not saved: ${error.message} Try again.`;
  } finally {
    if (sending.get(form) === mine) sending.delete(form);
  }
}

for (const form of items()) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    const field = form.querySelector("input[name=value]:not([type=hidden]), textarea");
    send(form, button && button.name === "value" ? button.value : field.value, true);
  });
  const field = form.querySelector("input[name=value]:not([type=hidden]), textarea");
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
if (named) (named.querySelector("button[name=value], input[name=value]:not([type=hidden]), textarea") || named).focus();
else goOn();
