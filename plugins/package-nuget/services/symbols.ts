import { BadRequest } from '@mortise/plugin-sdk';
import type { ArchiveEntry } from '@mortise/packages/api';

interface Symbols {
  readonly name: string;
  /** What debuggers ask by: 32 hex digits and `ffffffff`. */
  readonly key: string;
  readonly content: Buffer;
}

const maxPdb = 256 * 1024 * 1024;
const maxPdbs = 500;

/** The portable symbols of a symbol package, one after the other. */
export async function* symbolsOf(entries: readonly ArchiveEntry[]): AsyncGenerator<Symbols> {
  const pdbs = entries.filter(({ name, kind }) => kind === 'file' && /\.pdb$/i.test(name));
  if (pdbs.length === 0) throw BadRequest('The package has no symbols.');
  if (pdbs.length > maxPdbs) throw BadRequest('The package has too many symbols.');
  for (const entry of pdbs) {
    const content = await entry.content(maxPdb);
    yield { name: entry.name.replace(/^.*\//, '').toLowerCase(), key: `${debugId(content)}ffffffff`, content };
  }
}

const broken = () => BadRequest('The symbols are not in the portable format.');

/** From the `#Pdb` stream (ECMA-335 II.24 with the addition for portable symbols): a GUID, written as .NET does. */
function debugId(pdb: Buffer): string {
  if (pdb.length < 32 || pdb.toString('latin1', 0, 4) !== 'BSJB') throw broken();
  let at = 16 + pdb.readUInt32LE(12);
  if (at + 4 > pdb.length) throw broken();
  const streams = pdb.readUInt16LE(at + 2);
  at += 4;
  for (let n = 0; n < Math.min(streams, 100) && at + 12 <= pdb.length; n++) {
    const offset = pdb.readUInt32LE(at);
    const end = pdb.indexOf(0, at + 8);
    if (end < 0) break;
    const name = pdb.toString('latin1', at + 8, end);
    if (name === '#Pdb') {
      if (offset + 20 > pdb.length) throw broken();
      const [a, b, c] = [
        pdb.readUInt32LE(offset).toString(16).padStart(8, '0'),
        pdb
          .readUInt16LE(offset + 4)
          .toString(16)
          .padStart(4, '0'),
        pdb
          .readUInt16LE(offset + 6)
          .toString(16)
          .padStart(4, '0'),
      ];
      return a + b + c + pdb.toString('hex', offset + 8, offset + 16);
    }
    at += 8 + Math.ceil((end - at - 8 + 1) / 4) * 4;
  }
  throw broken();
}
