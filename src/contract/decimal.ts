/**
 * How do two JSON numbers compare by their text? Exactly, whatever their size, because doubles confuse
 * 9007199254740993 with 9007199254740992 and 1e400 with infinity.
 */

/** A non-zero decimal is `sign × 0.digits × 10^exponent`, digits without outer zeros; zero has no digits. */
interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly exponent: bigint;
}

/** Numbers this short without an exponent are told apart by their doubles. */
const EXACT_DIGITS = 15;
/** Most zeros that are written out around a number's digits. */
const MAX_PLAIN_ZEROS = 20;
const PLAIN = /^-?\d+(?:\.\d+)?$/;

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`; both JSON number texts. */
export function compareDecimals(a: string, b: string): number {
  if (a.length <= EXACT_DIGITS && b.length <= EXACT_DIGITS && PLAIN.test(a) && PLAIN.test(b)) {
    return Number(a) - Number(b);
  }
  const x = decimalOf(a);
  const y = decimalOf(b);
  if (x.sign !== y.sign) return x.sign - y.sign;
  return x.sign * compareMagnitudes(x, y);
}

/** True where the number has no fraction: `5`, `5.0` and `5e3` are integers. */
export function isInteger(text: string): boolean {
  if (/^-?\d+$/.test(text)) return true;
  const { sign, digits, exponent } = decimalOf(text);
  return sign === 0 || exponent >= BigInt(digits.length);
}

/**
 * One spelling for every text of the same number, to compare values as texts. It is itself a JSON number, plain where
 * that is short, since messages and prompts show it.
 */
export function canonicalDecimal(text: string): string {
  const { sign, digits, exponent } = decimalOf(text);
  return sign === 0 ? '0' : `${sign < 0 ? '-' : ''}${spell(digits, exponent)}`;
}

/** Spells `0.digits × 10^exponent`. */
function spell(digits: string, exponent: bigint): string {
  const whole = Number(exponent);
  if (whole > MAX_PLAIN_ZEROS + digits.length || whole < -MAX_PLAIN_ZEROS) {
    return `${digits}e${exponent - BigInt(digits.length)}`;
  }
  if (whole >= digits.length) return digits.padEnd(whole, '0');
  if (whole > 0) return `${digits.slice(0, whole)}.${digits.slice(whole)}`;
  return `0.${'0'.repeat(-whole)}${digits}`;
}

function compareMagnitudes(x: Decimal, y: Decimal): number {
  if (x.exponent !== y.exponent) return x.exponent < y.exponent ? -1 : 1;
  if (x.digits === y.digits) return 0;
  return x.digits < y.digits ? -1 : 1;
}

function decimalOf(text: string): Decimal {
  const negative = text.startsWith('-');
  const [mantissa = '', power = '0'] = (negative ? text.slice(1) : text).toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  let first = 0;
  while (all.charCodeAt(first) === 0x30) first += 1;
  let last = all.length;
  while (last > first && all.charCodeAt(last - 1) === 0x30) last -= 1;
  if (first === last) return { sign: 0, digits: '', exponent: 0n };
  return {
    sign: negative ? -1 : 1,
    digits: all.slice(first, last),
    exponent: BigInt(power) + BigInt(whole.length - first),
  };
}
