/** Reads what git writes with `-z` as it comes: calls `see` with each word until it answers false. */
export async function eachField(output: AsyncIterable<Buffer>, see: (word: Buffer) => boolean): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    const bytes = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
      if (!see(bytes.subarray(from, end))) return;
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
  if (rest.length) see(rest);
}
