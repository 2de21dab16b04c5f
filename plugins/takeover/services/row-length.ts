/** Characters of texts and bytes that a row has, about: what it takes in memory. */
export const lengthOf = (row: Readonly<Record<string, unknown>>): number =>
  Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8),
    0,
  );
