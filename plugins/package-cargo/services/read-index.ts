export interface IndexProperties {
  readonly name: string;
  /** By version. */
  readonly checksums: Readonly<Record<string, string>>;
}

/** What is asked of it, also of a thread. */
export interface IndexTask {
  readonly body: Uint8Array;
  /** In small letters. */
  readonly wanted: string;
}

export interface ReadIndex {
  readonly body: Uint8Array;
  readonly properties: IndexProperties;
}

/** Versions a line each; lines of something else are left out. */
export function readIndex({ body, wanted }: IndexTask): ReadIndex {
  const checksums: Record<string, string> = Object.create(null) as Record<string, string>;
  let own = wanted;
  const text = Buffer.from(body).toString('utf8');
  const lines = text.split('\n').filter((line) => {
    if (line.trim() === '') return false;
    const { name, vers, cksum } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || name.toLowerCase() !== wanted || typeof vers !== 'string') return false;
    if (!/^[0-9A-Za-z.+-]{1,255}$/.test(vers) || typeof cksum !== 'string' || !/^[0-9a-f]{64}$/.test(cksum))
      return false;
    own = name;
    checksums[vers] = cksum;
    return true;
  });
  return { body: Buffer.from(lines.map((line) => `${line}\n`).join('')), properties: { name: own, checksums } };
}
