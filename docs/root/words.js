// The words that scripts show, in the language of these pages. The build puts them in, from torchclinic/content/words.json.

export const WORDS = {words};

/** A text with its {places} filled. */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}
