// Which stretch of a text each unknown token stands for. Hugging Face's JavaScript module keeps no account of where in a
// text its tokens are, as their Rust crate does, so this follows a text through the tokenizer: from its sections, which
// added tokens part, to what they are normalised to, to the words of that, to the tokens of each word.

/** What stands for a space in words. */
const SPACE = "▁";

/**
 * What the tokens numbered `id` stand for, in their order.
 *
 * @param {string} text as it was given
 * @param {{ section: string, normalised: string, words: { word: string, tokens: string[] }[] }[]} sections as they were read
 * @param {{ isUnknown: (token: string) => boolean, piece: string, written: (token: string, isFirst: boolean) => string,
 *   normalise: (text: string) => string }} tokenizer
 * @returns {string[]}
 */
export function stretches(text, sections, tokenizer) {
  const found = [];
  let from = 0;
  for (const { section, normalised, words } of sections) {
    const at = Math.max(text.indexOf(section, from), from);
    for (const piece of typed(text.slice(from, at), tokenizer.piece)) found.push(piece);
    const original = aligned(section, normalised, tokenizer.normalise);
    for (const [start, end] of unknownRanges(normalised, words, tokenizer)) found.push(original(start, end));
    from = at + section.length;
  }
  return found.concat(typed(text.slice(from), tokenizer.piece));
}

/** The piece for what is unknown, as often as it was typed between two sections. */
function typed(between, piece) {
  return Array.from({ length: between.split(piece).length - 1 }, () => piece);
}

/** Where in a normalised section its unknown tokens are. */
function unknownRanges(normalised, words, tokenizer) {
  const text = normalised.replaceAll(" ", SPACE);
  const ranges = [];
  let from = 0;
  for (const { word, tokens } of words) {
    const start = startOf(text, word.replaceAll(" ", SPACE), from);
    const unknown = unknownIn(word, tokens, tokenizer);
    // What is not found, as where words are written in bytes, stands for nothing that could be shown.
    const place = (offset) => (start === null ? 0 : Math.max(start + offset, from));
    for (const [first, last] of unknown) ranges.push([place(first), place(last)]);
    if (start !== null) from = Math.max(start + word.length, from);
  }
  return ranges;
}

/** Where a word is, from a place on; one place before that if it begins with a space that the text has not. */
function startOf(text, word, from) {
  const whole = text.indexOf(word, from);
  const bare = word.startsWith(SPACE) ? text.indexOf(word.slice(1), from) : -1;
  if (bare >= 0 && (whole < 0 || bare < whole)) return bare - 1;
  return whole < 0 ? null : whole;
}

/** Where in a word its unknown tokens are: between those around them. */
function unknownIn(word, tokens, { isUnknown, written }) {
  const ranges = [];
  let waiting = 0;
  let from = 0;
  const share = (to) => {
    // Unknown tokens that stand side by side have a character each.
    const characters = word.slice(from, to)[Symbol.iterator]();
    for (; waiting > 1; --waiting) {
      const { value = "" } = characters.next();
      ranges.push([from, from + value.length]);
      from += value.length;
    }
    // The last has what is left.
    if (waiting === 1) ranges.push([from, to]);
    waiting = 0;
  };
  tokens.forEach((token, index) => {
    if (isUnknown(token)) {
      ++waiting;
      return;
    }
    const known = written(token, index === 0);
    const at = word.indexOf(known, from);
    if (at < 0) return;
    share(at);
    from = at + known.length;
  });
  share(word.length);
  return ranges;
}

/** Characters; letters with their marks, and spaces in a row; words. */
const PARTS = [/./gsu, /\s+|^\p{M}+|\P{M}\p{M}*/gu, /^\s+|\S+\s*/gu];

/**
 * A function from a range of a normalised section to what it was, by the smallest parts that are normalised to the same
 * by themselves as together. Where none are, what it is normalised to.
 */
function aligned(section, normalised, normalise) {
  for (const parts of PARTS) {
    const given = section.match(parts) ?? [];
    const made = given.map(normalise);
    const shift = shiftOf(made.join(""), normalised);
    if (shift === null) continue;
    const ends = endsOf(made, shift);
    return (start, end) => {
      const first = countUpTo(ends, start);
      let last = first;
      while (last < given.length && ends[last] - made[last].length < end) ++last;
      return given.slice(first, last).join("");
    };
  }
  return (start, end) => normalised.slice(start, end);
}

/** Ends of parts that follow each other from a place on. */
function endsOf(parts, from) {
  let at = from;
  return parts.map((part) => (at += part.length));
}

/** Number of ends, in rising order, that are not beyond a place. */
function countUpTo(ends, place) {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The offset of the parts in the whole, whose ends may have been stripped, or have something in front. */
function shiftOf(parts, whole) {
  const at = whole.lastIndexOf(parts);
  if (at >= 0) return at;
  const inner = parts.trim();
  const stripped = inner === "" ? -1 : whole.lastIndexOf(inner);
  return stripped < 0 || inner.length < whole.trim().length ? null : stripped - parts.indexOf(inner);
}
