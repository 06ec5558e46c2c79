// Numbers as the page writes them, read again.

/** What the page writes where a number is closer to 0 than its last digit tells. */
const NEARLY_ZERO = /^(< \+?0|> −0|<0|>−0)\.0*1$/;

/** A number that the page writes with decimals; 0 where it says only that it is closer to 0 than a bound. */
export function share(text: string): number {
  const written = text.trim();
  return NEARLY_ZERO.test(written) ? 0 : Number(written.replace("−", "-"));
}

/** A number that the page writes by its power of ten, `4.8 × 10⁻⁷`. */
export function scientific(text: string): number {
  const [mantissa, raised] = text.split(" × 10⁻");
  const exponent = [...(raised ?? "")].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(digit)).join("");
  return Number(mantissa) * 10 ** -Number(exponent);
}

/** A number that the page writes by any power of ten, `4.8 × 10⁻⁷` or `1.5 × 10²`. */
export function power(text: string): number {
  const [mantissa, raised] = text.split(" × 10");
  const digits = [...(raised ?? "")].map((sign) => (sign === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(sign)));
  return Number(mantissa) * 10 ** Number(digits.join(""));
}
