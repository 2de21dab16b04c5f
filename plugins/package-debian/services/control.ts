import { BadRequest } from '@mortise/plugin-sdk';
import {
  arMembers,
  tarEntries,
  unpack,
  type Packing,
  type PackageStore,
  type ReceivedBlob,
} from '@mortise/packages/api';

/** What a package says of itself. */
interface Control {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** Name of the maintainer, without the address. */
  readonly maintainer: string;
  /** http or https; else empty. */
  readonly homepage: string;
  readonly description: string;
  readonly dependencies: readonly string[];
  /** The stanza as indexes have it, without what they tell themselves; ends with a line feed. */
  readonly stanza: string;
}

/** LIM-12. */
const maxUnpacked = 32 * 1024 * 1024;
const maxControl = 4 * 1024 * 1024;
const maxLines = 100_000;
const maxListed = 200;
const packings: Readonly<Record<string, Packing | undefined>> = {
  '': undefined,
  '.gz': 'gzip',
  '.xz': 'xz',
  '.zst': 'zstd',
};

const broken = (what: string) => BadRequest(`The package cannot be read: ${what}.`);

/** The control file of a .deb, which is an ar with a packed tar for it. */
export async function readDeb(store: PackageStore, blob: ReceivedBlob): Promise<Control> {
  const members = await arMembers(store.random(blob));
  const member = members.find(({ name, size }) => name.startsWith('control.tar') && size > 0);
  if (!member) throw broken('it has no control archive');
  const suffix = member.name.slice('control.tar'.length);
  if (!Object.hasOwn(packings, suffix)) throw broken('its control archive is packed in an unknown way');
  const packed = await store.open(blob, { start: member.start, end: member.start + member.size - 1 });
  const packing = packings[suffix];
  const tar = packing ? unpack(packed, packing, maxUnpacked) : packed;
  for await (const entry of tarEntries(tar, { maxBytes: maxUnpacked, maxEntries: 10_000 }))
    if (entry.kind === 'file' && /^(?:.*\/)?control$/.test(entry.name))
      return parseControl((await entry.content(maxControl)).toString('utf8'));
  throw broken('it has no control file');
}

const namePattern = /^[a-z0-9][a-z0-9+.-]+$/;
const versionPattern = /^(?:(?:0|[1-9][0-9]*):)?[a-zA-Z0-9.+~]+(?:-[a-zA-Z0-9.+~_-]+)?$/;
const architecturePattern = /^[a-z0-9][a-z0-9-]{0,31}$/;
/** Fields that only the index sets. */
const ofTheIndex = new Set(['filename', 'size', 'md5sum', 'sha1', 'sha256', 'sha512']);

/** Only the first stanza: a second one would be another package in the index. */
function parseControl(text: string): Control {
  const fields = new Map<string, string[]>();
  const stanzaLines: string[] = [];
  let last: string[] | undefined;
  const lines = text.split('\n', maxLines + 1);
  if (lines.length > maxLines) throw broken('its control file has too many lines');
  for (const raw of lines) {
    const line = raw.trimEnd();
    if (line === '') {
      if (fields.size > 0) break;
      continue;
    }
    // a carriage return or another control character would be an end of line for some readers
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(line)) throw broken('its control file has control characters');
    if (line[0] === ' ' || line[0] === '\t') {
      if (!last) throw broken('its control file is damaged');
      last.push(line);
      continue;
    }
    const colon = line.indexOf(':');
    const key = line.slice(0, Math.max(0, colon));
    if (!/^[!-,./-9;-~][!-9;-~]*$/.test(key)) throw broken('its control file is damaged');
    if (fields.has(key.toLowerCase())) throw broken(`its control file has the field ${key.slice(0, 50)} twice`);
    fields.set(key.toLowerCase(), (last = [line]));
  }
  for (const [key, own] of fields) if (!ofTheIndex.has(key)) stanzaLines.push(...own);
  const one = (key: string) => {
    const [first = '', ...more] = fields.get(key) ?? [];
    return [first.slice(first.indexOf(':') + 1).trim(), ...more].join('\n');
  };
  const [name, version, architecture] = [one('package'), one('version'), one('architecture')];
  if (!namePattern.test(name) || name.length > 200) throw BadRequest('package name is invalid');
  if (!versionPattern.test(version) || version.length > 100) throw BadRequest('package version is invalid');
  if (!architecturePattern.test(architecture)) throw BadRequest('package architecture is invalid');
  return {
    name,
    version,
    architecture,
    maintainer: one('maintainer')
      .replace(/<[^<>]*>\s*$/, '')
      .trim(),
    homepage: /^https?:\/\/\S+$/i.test(one('homepage')) ? one('homepage') : '',
    description: one('description'),
    dependencies: one('depends')
      .split(',', maxListed)
      .map((text) => text.trim())
      .filter(Boolean),
    stanza: `${stanzaLines.join('\n')}\n`,
  };
}
