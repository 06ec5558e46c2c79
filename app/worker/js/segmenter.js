// `tokenizer.json` as Hugging Face's JavaScript module reads it, held to what their Rust crate makes of the same
// file: the models were trained on that. `tests/tokenizer` compares the two. The module knows no `padding` and no
// `truncation`, and neither is wanted: a model is given the tokens of a text, all of them and no others.
import { stretches } from "./stretches.js";
import { Tokenizer } from "./tokenizers.js";

/** How many times longer a text may become when it is normalised, and by how much however short it is. */
const MOST_GROWTH = 64;
const ALWAYS = 1024;
/** Beyond this length a text may only become four times longer. */
const LONG = 16 * 2 ** 20;

/**
 * Pre-tokenizers that the module has in its own way, in words that both have alike: punctuation character by
 * character, where it takes what stands side by side as one; and white space as Unicode has it, where JavaScript
 * lacks U+0085 and has U+FEFF besides.
 */
const ALIKE = {
  Punctuation: { type: "Split", pattern: { Regex: "[\\p{P}!-/:-@\\[-`{-~]" }, behavior: "Isolated", invert: false },
  WhitespaceSplit: { type: "Split", pattern: { Regex: "\\p{White_Space}" }, behavior: "Removed", invert: false },
};

/** A tokenizer that was read. */
export class Segmenter {
  #tokenizer;
  /** The steps of the normalizer. */
  #steps;
  /** What the tokenizer read of a text, while that is asked for. */
  #sections = null;

  /** Throws if `json` is no `tokenizer.json`. */
  constructor(json) {
    const description = JSON.parse(json);
    const pre_tokenizer = alike(description.pre_tokenizer);
    // What `tokenizer_config.json` would say, which we do not ask for: without it punctuation is put right after
    // decoding, which the crate does not.
    const config = { clean_up_tokenization_spaces: false };
    const normalizer = description.normalizer ?? null;
    this.#steps = stepsOf(new Tokenizer({ ...NOTHING_ELSE, normalizer }, config).normalizer);
    // The module normalises these before anything can be said about it.
    for (const { content } of description.added_tokens ?? []) normalise(this.#steps, content);
    this.#tokenizer = new Tokenizer({ ...description, pre_tokenizer }, config);
    this.#tokenizer.normalizer = (section) => this.#normalise(section);
    const segment = this.#tokenizer.model._call.bind(this.#tokenizer.model);
    this.#tokenizer.model._call = (words) => words.flatMap((word) => this.#segment(segment, word));
  }

  #normalise(section) {
    const normalised = normalise(this.#steps, section);
    this.#sections?.push({ section, normalised, words: [] });
    return normalised;
  }

  /**
   * Unknown characters in a row become one token within a word alone: left to itself the module goes on over the
   * words' ends, so that `我。` was one unknown token where the crate finds two.
   */
  #segment(segment, word) {
    const tokens = segment([word]);
    this.#sections?.at(-1).words.push({ word, tokens });
    return tokens;
  }

  /** The numbers of the tokens of `text`, special tokens added as the post-processor says, or none added. */
  encode(text, addsSpecial = true) {
    return this.#tokenizer.encode(text, { add_special_tokens: addsSpecial }).ids;
  }

  /** What the tokens numbered `id` stand for, in their order: stretches of `text` as it was given. */
  stretches(text, id) {
    const sections = this.#sectionsOf(text);
    const { tokens_to_ids, unk_token_id, config, end_of_word_suffix } = this.#tokenizer.model;
    const prefix = config.continuing_subword_prefix ?? "";
    return stretches(text, sections, {
      isUnknown: (token) => (tokens_to_ids.get(token) ?? unk_token_id) === id,
      piece: this.piece(id),
      written: (token, isFirst) => {
        const whole = end_of_word_suffix && token.endsWith(end_of_word_suffix);
        const written = whole ? token.slice(0, -end_of_word_suffix.length) : token;
        return isFirst || !written.startsWith(prefix) ? written : written.slice(prefix.length);
      },
      normalise: (part) => normalise(this.#steps.filter(isOfCharacters), part),
    });
  }

  /** The sections that the tokenizer reads in `text`. */
  #sectionsOf(text) {
    const sections = (this.#sections = []);
    try {
      this.#tokenizer.encode(text);
    } finally {
      // Also of a text that is refused, or all later ones would be kept.
      this.#sections = null;
    }
    return sections;
  }

  /** The text of `ids`, special tokens left out. */
  decode(ids) {
    // The module takes an `Array`, and none that is empty.
    return ids.length === 0 ? "" : this.#tokenizer.decode(Array.from(ids), { skip_special_tokens: true });
  }

  /** The piece numbered `id`; undefined outside the vocabulary. */
  piece(id) {
    return this.#tokenizer.id_to_token(id);
  }

  /** The number of a piece; undefined where the vocabulary lacks it. */
  id(piece) {
    return this.#tokenizer.token_to_id(piece);
  }

  /** Size of the vocabulary, special tokens included. */
  vocabulary() {
    return this.#tokenizer.model.tokens_to_ids.size;
  }
}

/** What a description has besides its normalizer, empty. */
const NOTHING_ELSE = {
  added_tokens: [],
  decoder: null,
  model: { type: "WordPiece", vocab: {} },
  post_processor: null,
  pre_tokenizer: null,
};

/** The steps of a normalizer, one after the other. */
function stepsOf(normalizer) {
  return normalizer === null ? [] : (normalizer.normalizers?.flatMap(stepsOf) ?? [normalizer]);
}

/** Returns true if a step does the same to a part of a text as to all of it. */
function isOfCharacters({ config }) {
  return config?.type !== "Prepend" && config?.type !== "Strip";
}

/**
 * A text after all steps. A few characters more for each one is what Unicode asks for; a million is a fault of the file
 * or an attack, and would take all memory.
 */
function normalise(steps, text) {
  const limit = Math.min(MOST_GROWTH * text.length + ALWAYS, Math.max(LONG, 4 * text.length));
  const check = (length) => {
    if (length > limit) throw new Error(`its normalizer makes more than ${limit} characters of a text of ${text.length}`);
  };
  let normalised = text;
  for (const step of steps) {
    normalised = applied(step, normalised, check);
    check(normalised.length);
  }
  return normalised;
}

/** A text after one step; `check` is told how long it becomes before it is. */
function applied(step, text, check) {
  const { type, content = "", prepend = "" } = step.config ?? {};
  if (type === "Prepend") check(prepend.length + text.length);
  if (type !== "Replace" || step.pattern === null) return step.normalize(text);
  let length = text.length;
  // A function, since in a text `$&` would be what was found.
  return text.replaceAll(step.pattern, (found) => {
    length += content.length - found.length;
    check(length);
    return content;
  });
}

/** A description of a pre-tokenizer, or of several in a row, of which both make the same. */
function alike(description) {
  if (description?.type === "Sequence") {
    return { ...description, pretokenizers: description.pretokenizers.map(alike) };
  }
  // The module has settings of its own, which the crate ignores or refuses, and which can write at any length.
  if (description?.type === "Metaspace") return { ...description, str_rep: undefined };
  if (description?.type === "Replace") throw new Error("Unknown PreTokenizer type: Replace");
  // Of its behaviours this is the default, and what the shipped ones ask for.
  const isolated = (description?.behavior ?? "Isolated") === "Isolated";
  return (isolated && ALIKE[description?.type]) || description;
}
