// The lists of messages, symptoms and tags: a field that leaves those rows that hold all the words typed.

/**
 * Which rows hold every word of a query, whatever its case.
 * @param {string[]} texts of the rows, in lower case
 * @param {string} query as typed
 * @returns {boolean[]} one for each row
 */
export function matches(texts, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return texts.map((text) => words.every((word) => text.includes(word)));
}

/**
 * Bring the form to life. What is typed stays in the address, so that it is there again after a look
 * at a page.
 * @param {any} form of site/messages.py, with all that is asked for here
 */
export function start(form) {
  const input = form.querySelector("input");
  const status = form.querySelector("[role=status]");
  const offer = form.querySelector("[data-tc-none]");
  const lookup = offer.href;
  const lists = [...form.parentElement.querySelectorAll("h2")].flatMap((heading) => {
    const next = heading.nextElementSibling;
    const list = next?.matches("ul") ? next : next?.querySelector("ul");
    return list ? [{ heading, list }] : [];
  });
  const rows = lists.flatMap(({ list }) => [...list.children]);
  const texts = lists.flatMap(({ heading, list }) => {
    // A tag is a word of its pages; a letter is none of its messages.
    const above = heading.textContent.length > 2 ? heading.textContent : "";
    return [...list.children].map((row) => `${row.textContent} ${above}`.toLowerCase());
  });

  const update = () => {
    const found = matches(texts, input.value);
    // What stays as it is is not touched: of thousands of rows each would be styled anew.
    rows.forEach((row, at) => {
      if (row.hidden === found[at]) row.hidden = !found[at];
    });
    for (const { heading, list } of lists) {
      const empty = [...list.children].every((row) => row.hidden);
      if (list.hidden !== empty) list.hidden = heading.hidden = empty;
    }
    const count = found.filter(Boolean).length;
    status.textContent = form.dataset.tcFilter
      .replace("{shown}", count)
      .replace("{count}", rows.length);
    offer.hidden = count > 0;
    offer.href = `${lookup}#q=${encodeURIComponent(input.value.slice(0, 20_000))}`;
  };

  input.addEventListener("input", update);
  input.addEventListener("change", () => {
    history.replaceState(
      history.state,
      "",
      input.value ? `#q=${encodeURIComponent(input.value)}` : location.pathname,
    );
  });
  form.addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  if (location.hash.startsWith("#q=")) {
    try {
      input.value = decodeURIComponent(location.hash.slice(3));
    } catch {
      // an address that someone has cut
    }
  }
  form.hidden = false;
  update();
}
