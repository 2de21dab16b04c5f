import type { Readable } from 'node:stream';
import { BadRequest, type FormFields } from '@mortise/plugin-sdk';
import {
  gunzip,
  isPlainPath,
  tarEntries,
  zipEntries,
  type ArchiveEntry,
  type PackageStore,
  type ReceivedBlob,
} from '@mortise/packages/api';

/** PEP 440, with the spellings that it tolerates. */
const version =
  /^v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:alpha|beta|preview|pre|rc|a|b|c)[-_.]?\d*)?(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$/i;
const name = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i;
const fileName = /^[a-z0-9][\w.+!-]{0,250}\.(?:whl|tar\.gz|zip|egg)$/i;

const maxPython = 1000;

/** PEP 503: what a project is looked up by. */
export const normalized = (text: string): string => text.toLowerCase().replace(/[-_.]+/g, '-');

/** Stored metadata of a release. */
export interface Release {
  readonly summary?: string;
  readonly description?: string;
  readonly description_content_type?: string;
  readonly author?: string;
  readonly author_email?: string;
  readonly license?: string;
  readonly home_page?: string;
  readonly project_urls?: readonly string[];
  readonly classifiers?: readonly string[];
  readonly keywords?: string;
  readonly requires_python?: string;
  readonly requires_dist?: readonly string[];
  /** Reason, where the release was yanked; may be empty. */
  readonly yanked?: string;
}

const single = [
  'summary',
  'description',
  'description_content_type',
  'author',
  'author_email',
  'license',
  'home_page',
  'keywords',
  'requires_python',
] as const;
const several = ['project_urls', 'classifiers', 'requires_dist'] as const;

interface Upload {
  readonly name: string;
  readonly version: string;
  readonly release: Release;
  /** JSON of PEP 740, stored as received. */
  readonly attestations: string | undefined;
}

/** Checks the fields of an upload against what was received. */
export function readUpload(fields: FormFields, file: string, blob: ReceivedBlob): Upload {
  const one = (field: string) => fields.get(field)?.[0]?.trim() ?? '';
  const given = { name: one('name'), version: one('version') };
  if (!name.test(given.name) || given.name.length > 128) throw BadRequest('package name is invalid');
  if (given.version.length > 128 || !version.test(given.version)) throw BadRequest('package version is invalid');
  if (!fileName.test(file)) throw BadRequest('package file name is invalid');
  for (const kind of ['md5', 'sha256'] as const) {
    const digest = one(`${kind}_digest`).toLowerCase();
    if (digest && digest !== blob[kind]) throw BadRequest(`hash mismatch: ${kind}`);
  }
  if (one('requires_python').length > maxPython) throw BadRequest('requires_python is too long');
  const attestations = one('attestations');
  if (attestations && !isJsonList(attestations)) throw BadRequest('attestations are no JSON list');
  return {
    name: given.name.replace(/[-_.]+/g, '-'),
    version: given.version,
    attestations: attestations || undefined,
    release: {
      ...Object.fromEntries(single.flatMap((field) => (one(field) ? [[field, one(field)]] : []))),
      ...Object.fromEntries(
        several.flatMap((field) => (fields.get(field)?.length ? [[field, fields.get(field)!]] : [])),
      ),
    },
  };
}

function isJsonList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

const maxMetadata = 4 * 1024 * 1024;
const limits = { maxBytes: 8 * 1024 ** 3 };
const refusePath = ({ name: path }: ArchiveEntry) => BadRequest(`The archive holds a path that leaves it: ${path}`);

const isMetadata = (path: string) => /^[^/]+\.dist-info\/METADATA$/.test(path);

/** The description inside of a wheel (PEP 658). */
export async function wheelMetadata(store: PackageStore, file: Pick<ReceivedBlob, 'sha256' | 'size'>): Promise<Buffer> {
  const entry = (await zipEntries(store.random(file), limits)).find((one) => isMetadata(one.name));
  if (!entry) throw BadRequest('The wheel has no METADATA.');
  return entry.content(maxMetadata);
}

/** Is it what its name says? Gives the description of a wheel. */
export async function checkContent(store: PackageStore, file: string, blob: ReceivedBlob): Promise<Buffer | undefined> {
  if (/\.tar\.gz$/i.test(file)) {
    await checkSource(await store.open(blob));
    return undefined;
  }
  for (const entry of await zipEntries(store.random(blob), limits))
    if (!isPlainPath(entry.name)) throw refusePath(entry);
  return /\.whl$/i.test(file) ? wheelMetadata(store, blob) : undefined;
}

async function checkSource(content: Readable): Promise<void> {
  let entries = 0;
  // a source archive of half a gigabyte is none
  for await (const entry of tarEntries(gunzip(content), { maxBytes: 512 * 1024 * 1024 })) {
    if (!isPlainPath(entry.name)) throw refusePath(entry);
    if (entry.kind === 'other') throw BadRequest('The archive holds something that is no file.');
    entries++;
  }
  if (entries === 0) throw BadRequest('The archive is empty.');
}
