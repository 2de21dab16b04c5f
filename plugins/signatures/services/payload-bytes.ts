/** Bytes of a single-byte encoding by character, or undefined for encodings of another kind. */
function table(encoding: string): Map<string, number> | undefined {
  try {
    const decoder = new TextDecoder(encoding);
    const chars = Array.from({ length: 256 }, (_, byte) => decoder.decode(Uint8Array.of(byte)));
    return new Set(chars).size === 256 ? new Map(chars.map((char, byte) => [char, byte])) : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes that were signed: commits in another encoding than UTF-8 say so in a header, and were decoded by it. */
export function payloadBytes(payload: string): Buffer {
  const end = payload.indexOf('\n\n');
  const encoding = /^encoding (\S+)$/m.exec(payload.slice(0, Math.max(0, end)))?.[1];
  const bytes = encoding && !/^utf-?8$/i.test(encoding) ? table(encoding) : undefined;
  if (!bytes) return Buffer.from(payload);
  return Buffer.from(Array.from(payload, (char) => bytes.get(char) ?? 0x3f));
}
