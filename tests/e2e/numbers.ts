// Numbers as the page writes them, read again.

/** What the page writes where a number is closer to 0 than its last digit tells. */
const NEARLY_ZERO = /^(< \+?0|> −0|<0|>−0)\.0*1$/;

/** A weight, a probability, or the difference of two; 0 where the page says only that it is closer to 0 than a bound. */
export function share(text: string): number {
  const written = text.trim();
  return NEARLY_ZERO.test(written) ? 0 : Number(written.replace("−", "-"));
}
