// What the lookup's page shows where no page of this site was found: where PyTorch writes the message, whose error it is, that the text is cut, which pages may be about it.

import { element, quoted } from "./lookup-card.js";
import { foundPage } from "./lookup-ask.js";
import { fill, WORDS } from "./words.js";

const words = WORDS.lookup;
const SHOWN = 400; // characters shown of one line

/** The sentence of a place, code as code. */
function sentence(place) {
  const where = WORDS.origin[place.function ? "in-function" : place.file ? "in-file" : "somewhere"];
  const text =
    where +
    (place.condition ? WORDS.origin.when : "") +
    WORDS.origin[place.first === place.last ? "one-release" : "releases"];
  // Filled piece by piece: a condition may hold a backtick or a brace.
  return text
    .split("`")
    .map((piece, at) =>
      at % 2
        ? element("code", {}, fill(piece, place))
        : fill(piece, { ...place, older: place.unread ? WORDS.origin.older : "" }),
    );
}

function originParts(origin) {
  const link = (href, text) => element("a", { href, rel: "noopener" }, text);
  const place = (one) => [
    ...sentence(one),
    ...(one.source
      ? [
          " ",
          link(
            one.source,
            `${WORDS.origin.source}${one.file.split("/").pop()}${one.number > 0 ? `:${one.number}` : ""}`,
          ),
        ]
      : []),
    ...(one.public
      ? [element("br", {}), link(one.documentation, fill(WORDS.origin.documentation, one))]
      : []),
  ];
  const [first, ...others] = origin.places;
  const made = [
    element("p", { class: "tc-note" }, WORDS.origin["no-advice"]),
    quoted(origin.line, element("code", {}, element("mark", {}, origin.raw.slice(0, SHOWN)))),
    element("p", { class: "tc-origin" }, place(first)),
  ];
  if (others.length)
    made.push(
      element("p", {}, WORDS.origin.also),
      element(
        "ul",
        {},
        others.map((one) => element("li", { class: "tc-origin" }, place(one))),
      ),
    );
  made.push(element("p", {}, link(origin.search, WORDS.origin.issues)));
  return made;
}

/** What is said of a text that ends too soon, or of another library's error. */
function failureParts({ rung, failure }) {
  const line = element("pre", {}, element("code", {}, failure.text.slice(0, SHOWN)));
  if (rung === "cut")
    return [
      element("h2", {}, words.cut),
      element("p", {}, words["cut-last"]),
      line,
      ...words["cut-how"].split("\n").map((text) => element("p", {}, ...marked(text))),
    ];
  if (failure.kind === "stopped") return [element("h2", {}, words.stopped), line];
  const { library, file, line: number } = failure.frame;
  const heading = library ? fill(words.other, { library }) : words["other-own"];
  const place = fill(words["other-at"], { place: `${file}:${number}` });
  return [element("h2", {}, heading), line, element("p", {}, place)];
}

/** The pages that a text may be about. */
const pagesOf = ({ about = [] }) =>
  element(
    "ul",
    {},
    about.map((id) => {
      const [href, name] = foundPage(id);
      return element("li", {}, element("a", { href }, name));
    }),
  );

/** Code in backticks as code. */
const marked = (text) =>
  text.split("`").map((piece, at) => (at % 2 ? element("code", {}, piece) : piece));

export function none(answer) {
  const card = element("section", {
    class: "tc-card tc-none",
    "data-tc-rung": answer.rung ?? "none",
  });
  if (answer.origin) {
    card.append(element("h2", {}, WORDS.origin.heading), ...originParts(answer.origin));
  } else if (answer.failure) {
    card.append(...failureParts(answer));
  } else {
    card.append(
      element("h2", {}, answer.about?.length ? words.about : words.none),
      pagesOf(answer),
    );
    const questions = element(
      "a",
      { href: new URL("../no-message/", import.meta.url).href },
      words["no-message"],
    );
    if (!answer.looked_for) card.append(element("p", {}, words["nothing-printed"], " ", questions));
    else
      card.append(
        element("p", {}, words["looked-for"]),
        element("pre", {}, element("code", {}, answer.looked_for.slice(0, SHOWN))),
      );
    card.append(
      element(
        "ul",
        {},
        [words.more, words.elsewhere, words.search].map((text) => element("li", {}, text)),
      ),
    );
  }
  if (answer.failure && answer.about?.length)
    card.append(element("p", {}, words["cut-about"]), pagesOf(answer));
  if (answer.report && !answer.failure) {
    // Shown as it would be copied, before anything is copied.
    const report = `Unknown message:\n\n    ${answer.report}\n\ntorch version:\nWhat caused it, and what cured it:\n`;
    const button = element("button", { type: "button", class: "md-button" }, words.copy);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(report);
      button.textContent = words.copied;
    });
    card.append(
      element("p", { class: "tc-note" }, words.report),
      element("pre", {}, element("code", {}, report)),
      element("p", {}, button),
    );
  }
  return card;
}
