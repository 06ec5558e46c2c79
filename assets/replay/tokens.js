// Names of tokens and numbers as they are shown.

const STARTS = new Set(["<pad>", "<s>", "<bos>", "[CLS]"]);
const ENDS = new Set(["</s>", "<eos>", "<|endoftext|>", "[SEP]"]);
/** The most characters of a token in a label. */
const LONGEST_LABEL = 24;

/** Returns the name of a token: without the mark of a word's start, bytes as `⟨E4⟩`. */
export function tokenName(token, say) {
  if (STARTS.has(token.text)) return say("start");
  if (ENDS.has(token.text)) return say("end");
  if (token.unknown && /^(<unk>|\[UNK\])$/.test(token.text)) return say("unknown");
  return shortened(spelled(token.text));
}

function spelled(text) {
  const bytes = text.replace(/<0x([0-9A-F]{2})>/g, "⟨$1⟩");
  const word = bytes.replace(/^▁(?=.)/u, "").replace(/<\/w>$/, "");
  return word === "" ? "▁" : word;
}

/** Returns a text of at most so many characters. */
export function shortened(text, longest = LONGEST_LABEL) {
  const characters = [...text.slice(0, 4 * longest + 4)];
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join("")}…`;
}

/** Returns a weight to four decimals; one that is too small for them is written as such. */
export function weightText(weight, say) {
  if (weight > 0 && weight < 0.00005) return say("below", { least: "0.0001" });
  return weight.toFixed(4);
}

/** Returns a share in per cent, in Chinese without a space before the sign. */
export function shareText(share, language) {
  const sign = language === "zh" ? "%" : "\u00a0%";
  const percent = share * 100;
  if (share > 0 && percent < 0.05) return `< 0.1${sign}`;
  return `${percent.toFixed(percent >= 10 ? 0 : 1)}${sign}`;
}
