import { BadRequest } from '@mortise/plugin-sdk';
import { isPlainPath, zipEntries, type RandomAccess } from '@mortise/packages/api';

export interface Manifest {
  /** Empty for `Package.swift`, else of `Package@swift-5.9.swift`: `5.9`. */
  readonly swiftVersion: string;
  readonly text: string;
}

const maxManifest = 128 * 1024;
const maxManifests = 32;
const limits = { maxBytes: 4 * 1024 ** 3, maxEntries: 100_000 };
const pattern = /^(?:([^/]+)\/)?Package(?:@swift-(\d{1,4}(?:\.\d{1,4}){0,2}))?\.swift$/;

/** `5.9.0` is `5.9`, `6` is `6.0`. */
export function tidySwiftVersion(text: string): string {
  const [major = '0', minor = '0', patch = '0'] = text.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  return patch === '0' ? `${major}.${minor}` : `${major}.${minor}.${patch}`;
}

/** What the first line of a manifest says: `// swift-tools-version:5.7`. */
export const toolsVersionOf = (text: string): string | undefined =>
  /^\s*\/\/\s*swift-tools-version\s*:?\s*(\d+(?:\.\d+){0,2})/i.exec(text.slice(0, 1000))?.[1];

/** The manifests at the top of a source archive, or in its only folder. */
export async function readManifests(source: RandomAccess): Promise<readonly Manifest[]> {
  const entries = await zipEntries(source, limits);
  for (const { name } of entries)
    if (!isPlainPath(name)) throw BadRequest(`The archive holds a path that leaves it: ${name}`);
  const matches = entries.flatMap((entry) => {
    const parts = entry.kind === 'file' ? pattern.exec(entry.name) : null;
    return parts ? [{ entry, folder: parts[1] ?? '', swiftVersion: parts[2] ?? '' }] : [];
  });
  const main = matches.filter(({ swiftVersion }) => swiftVersion === '');
  const top = main.find(({ folder }) => folder === '') ?? (main.length === 1 ? main[0] : undefined);
  if (!top) throw BadRequest('The archive has no Package.swift.');
  const beside = matches.filter(({ folder }) => folder === top.folder);
  if (beside.length > maxManifests) throw BadRequest('The archive has too many manifests.');
  const manifests = new Map<string, Manifest>();
  for (const { entry, swiftVersion: given } of beside) {
    if (entry.size > maxManifest) throw BadRequest(`The manifest ${entry.name} is too large.`);
    const swiftVersion = given && tidySwiftVersion(given);
    manifests.set(swiftVersion, { swiftVersion, text: (await entry.content(maxManifest)).toString('utf8') });
  }
  if (!toolsVersionOf(manifests.get('')!.text)) throw BadRequest('The Package.swift has no tools version.');
  return [...manifests.values()];
}
