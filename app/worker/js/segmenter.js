// `tokenizer.json` as Hugging Face's JavaScript module reads it, held to what their Rust crate makes of the same
// file: the models were trained on that. `tests/tokenizer` compares the two.
import { Tokenizer } from "./tokenizers.js";

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

  /** Throws if `json` is no `tokenizer.json`. */
  constructor(json) {
    const description = JSON.parse(json);
    const pre_tokenizer = alike(description.pre_tokenizer);
    // What `tokenizer_config.json` would say, which we do not ask for: without it punctuation is put right after
    // decoding, which the crate does not.
    const config = { clean_up_tokenization_spaces: false };
    this.#tokenizer = new Tokenizer({ ...description, pre_tokenizer }, config);
    fuseWithinWords(this.#tokenizer.model);
  }

  /** The numbers of the tokens of `text`, special tokens added as the post-processor says. */
  encode(text) {
    return this.#tokenizer.encode(text).ids;
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
    return this.#tokenizer.get_vocab().size;
  }
}

/** A description of a pre-tokenizer, or of several in a row, of which both make the same. */
function alike(description) {
  if (description?.type === "Sequence") {
    return { ...description, pretokenizers: description.pretokenizers.map(alike) };
  }
  // Of its behaviours this is the default, and what the shipped ones ask for.
  const isolated = (description?.behavior ?? "Isolated") === "Isolated";
  return (isolated && ALIKE[description?.type]) || description;
}

/**
 * Unknown characters in a row become one token within a word alone: left to itself the module goes on over the
 * words' ends, so that `我。` was one unknown token where the crate finds two.
 */
function fuseWithinWords(model) {
  const segment = model._call.bind(model);
  model._call = (words) => words.flatMap((word) => segment([word]));
}
