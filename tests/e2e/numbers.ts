// Numbers as the page writes them, read again.

/** A weight, a probability, or the difference of two; 0 where the page says only that it is closer to 0 than a bound. */
export function share(text: string): number {
  const written = text.trim();
  return /^[<>]/.test(written) ? 0 : Number(written.replace("−", "-"));
}
