// Adds sorting, filters and a switch of colours. All content is in the page without it.
"use strict";
{
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // The colours are those of the system until the reader switches. A page that may store nothing forgets the choice.
  const KEY = "sundown-theme";
  const load = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const store = (theme) => { try { localStorage.setItem(KEY, theme); } catch { /* Nothing may be stored. */ } };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const stored = load();
  if (stored === "dark" || stored === "light") root.dataset.theme = stored;

  const addTheme = () => {
    const button = document.getElementById("theme");
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      store(root.dataset.theme);
      show();
    });
    system.addEventListener("change", show);
    show();
    button.hidden = false;
  };

  // Columns have names, because some are optional.
  const columns = new WeakMap();
  const column = (table, key) => {
    if (!columns.has(table)) columns.set(table, new Map(all("thead th", table).map((head, index) => [head.dataset.key, index])));
    return columns.get(table).get(key);
  };
  const text = (row, key) => row.cells[column(row.closest("table"), key)]?.textContent.trim() ?? "";
  const count = (number) => number.toLocaleString("en");
  const number = (text) => (text === "" ? NaN : parseFloat(text.replaceAll(",", "")));

  const compare = {
    text: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
    number: (a, b) => number(a) - number(b),
  };
  /** Compares by the order of the words in a list. */
  const byOrder = (words) => (a, b) => words.indexOf(a) - words.indexOf(b);

  const sort = (table, head, direction) => {
    const { key, order, sort } = head.dataset;
    const inOrder = order ? byOrder(order.split(",")) : compare[sort === "number" || sort === "days" ? "number" : "text"];
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [text(row, key), row]);
    // Empty cells are last in both directions.
    rows.sort(([a], [b]) => (a === "") - (b === "") || (a === "" ? 0 : direction * inOrder(a, b)));
    body.append(...rows.map(([, row]) => row));
  };

  const addSorting = (table) => {
    const heads = all("th[data-key]", table.tHead);
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        // High numbers and late dates come first.
        const first = ["number", "date"].includes(head.dataset.sort) ? "descending" : "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const direction = head.getAttribute("aria-sort") === first ? other : first;
        for (const each of heads) each.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", direction);
        sort(table, head, direction === "ascending" ? 1 : -1);
      });
    }
  };

  const tests = {
    has: (text, wanted) => text.toLowerCase().includes(wanted.toLowerCase()),
    is: (text, wanted) => text === wanted,
    min: (text, wanted) => number(text) >= Number(wanted),
    max: (text, wanted) => number(text) <= Number(wanted),
    since: (text, wanted) => text !== "" && text >= wanted,
  };

  const forms = [];
  const addFilters = (form) => {
    const { rows: selector, groups: grouped, noun } = form.dataset;
    const rows = all(selector);
    const groups = grouped ? all(grouped) : [];
    const fields = all("[data-test]", form);
    const output = form.querySelector("output");
    /** The text that a field is about: a column, the heading of the group, or everything. */
    const about = (row, key, group) => {
      const name = group?.querySelector(".group a").textContent ?? "";
      if (!key) return `${row.textContent} ${name}`;
      return key === "group" ? name : text(row, key);
    };
    const apply = () => {
      const active = fields.filter((field) => field.value.trim() !== "");
      const used = new Set();
      let shown = 0;
      for (const row of rows) {
        const group = grouped ? row.closest(grouped) : null;
        const isShown = active.every(({ dataset, value }) => tests[dataset.test](about(row, dataset.key, group), value.trim()));
        if (row.hidden === isShown) row.hidden = !isShown;
        if (!isShown) continue;
        shown += 1;
        used.add(group);
      }
      for (const group of groups) group.hidden = !used.has(group);
      output.value = active.length ? `${count(shown)} of ${count(rows.length)} ${noun}` : `${count(rows.length)} ${noun}`;
    };
    let planned = 0;
    const plan = () => {
      cancelAnimationFrame(planned);
      planned = requestAnimationFrame(apply);
    };
    form.addEventListener("input", plan);
    form.addEventListener("reset", plan);
    form.addEventListener("submit", (event) => event.preventDefault());
    output.value = `${count(rows.length)} ${noun}`;
    form.hidden = false;
    forms.push(() => { form.reset(); apply(); });
  };

  /** A link to something that a filter hides removes the filters. */
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.closest("[hidden]")) return;
    for (const reset of forms) reset();
    target.scrollIntoView();
  };

  /** Shows the uses that a caller's section has as numbers. */
  const addRest = (details, elements) => {
    const list = details.querySelector("p + p");
    const table = document.createElement("table");
    table.className = "uses";
    const head = table.createTHead().insertRow();
    for (const title of ["Element", "Side", "Uses"]) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = title;
      head.append(cell);
    }
    const body = table.createTBody();
    for (const pair of list.textContent.trim().split(/\s+/)) {
      const [index, uses] = pair.split(":").map(Number);
      const element = elements[index - 1];
      if (!element) continue;
      const row = body.insertRow();
      const name = element.cells[0].cloneNode(true);
      name.querySelector(".no")?.remove();
      row.append(name);
      row.insertCell().textContent = text(element, "side");
      row.insertCell().textContent = count(uses);
    }
    all("p", details).forEach((part) => part.remove());
    details.append(table);
  };

  document.addEventListener("DOMContentLoaded", () => {
    const elements = all("#elements tbody tr");
    addTheme();
    all("table.sort").forEach(addSorting);
    all("form.filter").forEach(addFilters);
    for (const details of all("details.rest")) {
      details.addEventListener("toggle", () => addRest(details, elements), { once: true });
    }
    addEventListener("hashchange", reveal);
  });
}
