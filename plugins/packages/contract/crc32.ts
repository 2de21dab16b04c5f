/** The sum of a text in pieces, which `zlib.crc32` gives of each. */
const polynomial = 0xedb88320;

/** Of polynomials over two elements, modulo that of the sum; the highest bit is the coefficient of x⁰. */
function product(left: number, right: number): number {
  let result = 0;
  let shifted = right;
  for (let bit = 31; bit >= 0; bit--) {
    if ((left >>> bit) & 1) result ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return result >>> 0;
}

/** x to the power of the bits of so many bytes. */
function shiftOf(bytes: number): number {
  let power = 0x80000000;
  let square = 0x00800000;
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = product(power, square);
    square = product(square, square);
  }
  return power;
}

/** The sum of two texts in a row, by the sum of each and the bytes of the second. */
export const joinCrc32 = (first: number, second: number, secondBytes: number): number =>
  (product(shiftOf(secondBytes), first) ^ second) >>> 0;
