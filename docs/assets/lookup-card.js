// The card of a symptom that the lookup found: what it means for the reader, the fix of the cause first, the evidence folded. Pasted text becomes text nodes, never markup.

import { instead } from "./devices.js";
import { loadedPage } from "./lookup-ask.js";
import { diagnose, fragment } from "./lookup.js";
import { draw, svg } from "./picture.js";
import { fill, WORDS } from "./words.js";

const words = WORDS.lookup;
const SHOWN = 400; // characters shown of one line

/** An element; strings among its children become text nodes. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null && child !== ""));
  return made;
}

/** A folded part. */
const folded = (summary, ...children) =>
  element("details", { class: "tc-proof" }, element("summary", {}, summary), ...children);

function address(hit, hits) {
  return new URL(`../${hit.topic}/${hit.symptom}/${fragment(hit, hits)}`, import.meta.url).href;
}

export function title(hit, language, hits = []) {
  return element("a", { href: address(hit, hits) }, hit.title[language] ?? hit.symptom);
}

/** The card; `showFix` completes it when the page of the hit has come. */
export function hitCard(index, hit, hits, { around, frame }, language) {
  const rung = hit.why.includes("likely") ? "likely" : "sure";
  const card = element(
    "section",
    { class: "tc-card tc-hit", "data-tc-rung": rung },
    rung === "likely" ? element("p", { class: "tc-rung" }, words.likely) : null,
    element("h2", {}, title(hit, language, hits)),
  );
  const sentence = diagnose(index, hit, language);
  if (sentence) card.append(element("p", { class: "tc-diagnosis" }, sentence));
  if (frame) card.append(ownCode(frame));
  card.append(
    element(
      "p",
      { class: "tc-actions" },
      element("button", { class: "md-button md-button--primary", type: "button", hidden: "" }),
      element("a", { class: "md-button", href: address(hit, hits) }, words.open),
    ),
  );
  if (index.told) card.append(element("div", { "data-tc-cause": hit.symptom }));
  const picture = draw(index.symptoms[hit.symptom].pictures ?? [], hit.values, WORDS.picture);
  if (picture) card.append(element("p", { class: "tc-drawn" }, svg(picture)));
  if (words.recover[hit.recover])
    card.append(element("p", { class: "tc-recover" }, words.recover[hit.recover]));
  if (rung === "likely")
    card.append(
      element("p", { class: "tc-note" }, words["likely-ours"]),
      element("pre", {}, element("code", {}, hit.wording)),
      element("p", { class: "tc-note" }, words["likely-sure"]),
    );
  card.append(folded(fill(words.evidence, hit), ...evidence(hit, hits, around, language)));
  return card;
}

/** Where in the reader's own program it was. */
function ownCode({ file, line, name, code }) {
  const place = [element("b", {}, `${file.split(/[/\\]/).pop()}:${line}`)];
  if (name && !name.startsWith("<")) place.push(fill(words["own-in"], { name }));
  const part = element("p", { class: "tc-own-code" }, words["own-at"], place);
  if (code) part.append(element("code", {}, code.slice(0, SHOWN)));
  return part;
}

/** The line that was found, its values, and why this symptom. */
function evidence(hit, hits, around, language) {
  const parts = [quote(hit, around)];
  const values = Object.entries(hit.values);
  if (values.length) {
    const pairs = values.map(([name, value]) =>
      element("span", {}, element("var", {}, name), " = ", element("code", {}, value.trim())),
    );
    parts.push(element("p", { class: "tc-values" }, words.values, pairs));
  }
  const wrappers = hit.seen_in
    .map((stem) => hits.find((other) => other.symptom === stem))
    .filter(Boolean);
  if (wrappers.length) {
    const links = wrappers.flatMap((other, at) =>
      at ? [", ", title(other, language, hits)] : [title(other, language, hits)],
    );
    parts.push(element("p", { class: "tc-note" }, words["seen-in"], links));
  }
  const reasons = hit.why.map((code) => words.reasons[code]).filter(Boolean);
  if (reasons.length) {
    const why = `${words.why}${reasons.join(words.join)}${words.stop}`;
    parts.push(element("p", { class: "tc-note" }, why));
  }
  return parts;
}

/** The matched line, with one line before and after it. */
function quote(hit, [previous, next]) {
  const cut = (line) => (line.length > SHOWN ? `${line.slice(0, SHOWN)} …` : line);
  const code = element("code", {});
  if (previous) code.append(`${cut(previous)}\n`);
  code.append(element("mark", {}, cut(hit.raw)));
  if (next) code.append(`\n${cut(next)}`);
  return quoted(hit.line, code);
}

/** A line of the reader's text under its number. */
export function quoted(line, code) {
  return element(
    "figure",
    { class: "tc-quote" },
    element("figcaption", {}, fill(words.line, { line })),
    element("pre", {}, code),
  );
}

/**
 * From the page of a hit: the fix of the cause that the text tells, or of the one met most often, and the other rows to choose from.
 * @returns whether there is something new to be dressed with buttons
 */
export async function showFix(index, hit, result, language, current) {
  const place = result.querySelector(`[data-tc-cause="${hit.symptom}"]`);
  if (!place) return;
  const href = new URL(`../${hit.topic}/${hit.symptom}/`, import.meta.url).href;
  const source = await loadedPage(href);
  if (!current()) return;
  const choice = own(source.querySelector("[data-tc-choice]"), href, hit.symptom);
  const rows = [...(choice?.querySelectorAll("[data-tc-row]") ?? [])];
  const wanted = hit.row || hit.cause?.row;
  const row = rows.find((one) => one.dataset.tcRow === wanted) ?? rows[0];
  if (row) place.append(element("h3", {}, called(hit, row, language)));
  const body = row ?? source;
  const fix = row
    ? row.querySelector("[data-tc-case]")
    : own(body.querySelector("[data-tc-case]"), href, hit.symptom);
  const told = [...(row?.querySelectorAll(".tc-do, .tc-type") ?? [])];
  const check = row?.querySelector("[data-tc-check]");
  place.append(...[...told, fix, check].filter(Boolean));
  if (rows.length > 1) place.append(others(hit, choice, row));
  // Code is the page's example, beside the reader's own line; a command, under which a note says whether it was run, is typed as it stands.
  const command = fix?.querySelector(".tabbed-block:first-child .tc-note:not(.tc-fails)");
  if (fix && !command && place.parentElement?.querySelector(".tc-own-code"))
    fix.before(element("p", { class: "tc-note" }, words["own-example"]));
  offerFix(place);
  place.append(...otherNames(index, hit.device, place.textContent, language));
}

/** What stands for CUDA's names in what is shown, where the reader's device is another. */
export function otherNames({ devices }, device, shown, language) {
  const pairs = instead(devices, device, shown).flatMap(([cuda, own], at) => {
    const names = { own: element("code", {}, own), cuda: element("code", {}, cuda) };
    const pieces = words["instead-pair"].split(/[{}]/).map((piece) => names[piece] ?? piece);
    return at ? [words.enumeration, ...pieces] : pieces;
  });
  if (!pairs.length) return [];
  const { name } = devices.find(({ id }) => id === device);
  const [before, after] = fill(words.instead, { name: name[language], pairs: "\n" }).split("\n");
  return [element("p", { class: "tc-note" }, before, pairs, after)];
}

/** The name of a row: its cause, or the one met most often; of a row without a case what is seen, for its title is what to do, which stands below. */
function called({ cause, often }, row, language) {
  const shown = cause ?? often;
  const parts = [...row.querySelector("summary").childNodes];
  const seen = parts.filter((node) => node.className !== "tc-met");
  if (!shown) return seen;
  const named = row.querySelector("[data-tc-case]") ? [plain(shown.title[language])] : seen;
  return [howSure({ cause, often }), ...named];
}

const plain = (text) => text.replaceAll("`", "");

/** What stands before the title of the cause that is shown first. */
function howSure({ cause, often }) {
  if (cause) return words[cause.leaning ? "leaning" : "cause"];
  const [count, of] = often.threads;
  return count ? fill(words["often-of"], { count, of }) : words["check-first"];
}

/** The other rows, to choose from: open where the text tells nothing. */
function others(hit, choice, row) {
  row.remove();
  const lines = [...choice.querySelectorAll(":scope > [data-tc-row], .tc-more > [data-tc-row]")];
  for (const line of lines) line.open = false;
  const part = folded(hit.cause ? words["other-causes"] : words.which, ...lines);
  part.open = !hit.cause;
  return part;
}

/** The first button copies the fix that is shown; a tab may show another. */
function offerFix(place) {
  const button = place.closest(".tc-card").querySelector(".tc-actions button");
  const blocks = ["[data-tc-case] .highlight:not(.tc-diff)", ".tc-type"];
  const wanted = blocks.map((block) => `:scope > ${block} code`).join();
  const codes = () => [...place.querySelectorAll(wanted)];
  if (!codes().length) return;
  button.textContent = words["copy-fix"];
  button.hidden = false;
  button.addEventListener("click", async () => {
    const code = codes().find((one) => one.checkVisibility()) ?? codes()[0];
    // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not copied
    await navigator.clipboard.writeText(code.innerText.trimEnd());
    button.textContent = words.copied;
  });
}

/** A part of another page of this site for this one: its links lead where they led, its tabs are no other's, its places have no names, and its figures, which no card shows, are not fetched. */
function own(part, href, name) {
  if (!part) return null;
  const copy = part.cloneNode(true);
  for (const figure of copy.querySelectorAll("img")) figure.remove();
  const made = document.importNode(copy, true);
  for (const link of made.querySelectorAll("a[href]"))
    link.href = new URL(link.getAttribute("href"), href).href;
  for (const input of made.querySelectorAll("input"))
    [input.id, input.name] = [`${name}-${input.id}`, `${name}-${input.name}`];
  for (const label of made.querySelectorAll("label[for]"))
    label.htmlFor = `${name}-${label.htmlFor}`;
  for (const heading of made.querySelectorAll(":is(h2, h3, div)[id]"))
    heading.removeAttribute("id");
  return made;
}
