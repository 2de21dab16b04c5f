import { BadRequest } from '@mortise/plugin-sdk';
import {
  gunzip,
  isPlainPath,
  tarEntries,
  zipEntries,
  type ArchiveEntry,
  type PackageStore,
  type ReceivedBlob,
} from '@mortise/packages/api';

/** What a package says of itself. */
export interface CranInfo {
  readonly name: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly license: string;
  readonly author: string;
  /** http or https only. */
  readonly urls: readonly string[];
  readonly depends: string;
  readonly imports: string;
  readonly linkingTo: string;
  readonly suggests: string;
  readonly needsCompilation: boolean;
}

interface ReadPackage {
  readonly info: CranInfo;
  readonly container: 'gzip' | 'zip';
}

const maxDescription = 1024 * 1024;
const maxLines = 10_000;
const isDescription = ({ name, kind }: ArchiveEntry) =>
  kind === 'file' && /^(?:\.\/)?(?:[^/]+\/)?DESCRIPTION$/.test(name);

/** The DESCRIPTION of a package, in the top folder of a packed tar or a zip; to its end, since R unpacks all of it. */
export async function readPackage(store: PackageStore, blob: ReceivedBlob): Promise<ReadPackage> {
  const source = store.random(blob);
  const isGzip = (await source.read(0, 2)).equals(Buffer.from([0x1f, 0x8b]));
  const entries = isGzip ? tarEntries(gunzip(await store.open(blob))) : await zipEntries(source);
  let description: Buffer | undefined;
  for await (const entry of entries) {
    if (!isPlainPath(entry.name))
      throw BadRequest(`The package holds a path that leaves it: ${entry.name.slice(0, 200)}`);
    if (!description && isDescription(entry)) description = await entry.content(maxDescription);
  }
  if (!description) throw BadRequest('The package has no DESCRIPTION.');
  return { info: parse(description), container: isGzip ? 'gzip' : 'zip' };
}

const namePattern = /^[a-zA-Z][a-zA-Z0-9.]*[a-zA-Z0-9]$/;
const versionPattern = /^[0-9]+(?:[.-][0-9]+)+$/;

/** Fields begin at the start of a line; lines that are set in go on with the field before. */
function parse(bytes: Buffer): CranInfo {
  const fields = new Map<string, string[]>();
  let last: string[] | undefined;
  const lines = bytes.toString('utf8').split('\n', maxLines + 1);
  if (lines.length > maxLines) throw BadRequest('The DESCRIPTION has too many lines.');
  for (const line of lines) {
    const [head, key] = /^([A-Za-z][\w@/.-]{0,200}):/.exec(line) ?? [];
    const text = line.slice(head?.length ?? 0).trim();
    if (key) fields.set(key, (last = [text]));
    else if (text) last?.push(text);
  }
  const one = (key: string) => {
    const text = (fields.get(key) ?? []).join(' ').trim();
    return text.replace(/[\0-\x1f\x7f]+/g, ' ');
  };
  const [name, version] = [one('Package'), one('Version')];
  if (!namePattern.test(name) || name.length > 150) throw BadRequest('package name is invalid');
  if (!versionPattern.test(version) || version.length > 80) throw BadRequest('package version is invalid');
  return {
    name,
    version,
    title: one('Title'),
    description: one('Description'),
    license: one('License'),
    author: withoutRoles(one('Author')),
    urls: one('URL')
      .split(/[\s,]+/)
      .filter((url) => /^https?:\/\/\S+$/i.test(url)),
    depends: one('Depends'),
    imports: one('Imports'),
    linkingTo: one('LinkingTo'),
    suggests: one('Suggests'),
    needsCompilation: /^yes$/i.test(one('NeedsCompilation')),
  };
}

/** Leaves out what stands in brackets, with the blanks before it. */
function withoutRoles(text: string): string {
  let result = '';
  let from = 0;
  for (let open = text.indexOf('['); open >= 0; open = text.indexOf('[', from)) {
    const close = text.indexOf(']', open);
    if (close < 0) break;
    result += text.slice(from, open).trimEnd();
    from = close + 1;
  }
  return result + text.slice(from);
}

/** As R compares versions: numbers between points and hyphens; the lower one comes first. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((text) => text.split(/[.-]/).map(BigInt)) as [bigint[], bigint[]];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [x, y] = [a[at], b[at]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
