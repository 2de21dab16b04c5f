import { BadRequest, Joi } from '@mortise/plugin-sdk';
import {
  isPlainPath,
  packingOf,
  tarEntries,
  tidySemver,
  unpack,
  zipEntries,
  type ArchiveEntry,
  type PackageStore,
  type ReceivedBlob,
} from '@mortise/packages/api';

/** The fields of composer.json that clients get. */
export type ComposerManifest = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly type?: string;
  readonly description?: string;
  readonly license?: readonly string[];
  readonly authors?: readonly { readonly name?: string; readonly email?: string }[];
  readonly homepage?: string;
  readonly require?: Readonly<Record<string, string>>;
  readonly readme?: string;
};

interface ComposerPackage {
  readonly manifest: ComposerManifest;
  readonly version: string;
  readonly kind: 'zip' | 'tar';
  /** How the name of its file ends. */
  readonly suffix: 'zip' | 'tar.gz' | 'tar.bz2';
}

const maxManifest = 10 * 1024 * 1024;
const maxReadme = 64 * 1024;
const limits = { maxBytes: 2 * 1024 ** 3, maxEntries: 100_000 };
const namePattern = /^[a-z0-9](?:[_.-]?[a-z0-9]+)*\/[a-z0-9](?:(?:[_.]|-{1,2})?[a-z0-9]+)*$/;

const text = Joi.string().allow('');
const words = Joi.array().items(text);
const links = Joi.object().pattern(Joi.string(), text);
/** Stored fields, each in the shape that clients rely on; other shapes are refused. */
const manifestSchema = Joi.object({
  name: Joi.string().max(200).required(),
  version: Joi.string().max(200),
  type: Joi.string().max(100),
  description: text,
  keywords: words,
  homepage: text,
  time: text,
  license: Joi.alternatives(text, words),
  authors: Joi.array().items(Joi.object({ name: text, email: text, homepage: text, role: text }).unknown()),
  support: Joi.object().unknown(),
  funding: Joi.array().items(Joi.object().unknown()),
  require: links,
  'require-dev': links,
  conflict: links,
  replace: links,
  provide: links,
  suggest: links,
  autoload: Joi.object().unknown(),
  'autoload-dev': Joi.object().unknown(),
  'include-path': words,
  'target-dir': text,
  bin: Joi.alternatives(text, words),
  extra: Joi.any(),
  abandoned: Joi.alternatives(Joi.boolean(), text),
  'php-ext': Joi.object().unknown(),
});
/** `type` first, as lists of packages show it. */
const storedFields = Object.keys(manifestSchema.describe().keys as object).filter(
  (key) => !['version', 'time'].includes(key),
);

const broken = (what: string) => BadRequest(`The archive is no Composer package: ${what}.`);
const isManifest = (path: string) => /^(?:[^/]+\/)?composer\.json$/.test(path.replace(/^\.\//, ''));
const isReadme = (path: string) => /^(?:[^/]+\/)?readme\.md$/i.test(path.replace(/^\.\//, ''));
const depth = (path: string) => path.replace(/^\.\//, '').split('/').length;

/** The file nearest to the top, of those read so far. */
class Nearest {
  bytes: Buffer | undefined;
  #depth = 3;

  async take(entry: ArchiveEntry, max: number): Promise<void> {
    if (depth(entry.name) >= this.#depth) return;
    this.#depth = depth(entry.name);
    this.bytes = await entry.content(max);
  }
}

/** Reads and checks a zip, or a tar packed by gzip or bzip2, with composer.json at its top or in its only folder. */
export async function readArchive(
  store: PackageStore,
  blob: ReceivedBlob,
  givenVersion: string | undefined,
): Promise<ComposerPackage> {
  const start = await store.random(blob).read(0, 6);
  const kind = start.toString('latin1', 0, 2) === 'PK' ? 'zip' : 'tar';
  const packing = packingOf(start);
  const suffix = kind === 'zip' ? kind : packing === 'gzip' ? 'tar.gz' : packing === 'bzip2' ? 'tar.bz2' : undefined;
  if (!suffix) throw broken('it is neither a zip nor a tar packed by gzip or bzip2');
  const [manifest, readme] = [new Nearest(), new Nearest()];
  const entries =
    kind === 'zip'
      ? await zipEntries(store.random(blob), limits)
      : tarEntries(unpack(await store.open(blob), packing!, limits.maxBytes), limits);
  for await (const entry of entries) {
    if (!isPlainPath(entry.name)) throw broken(`it holds a path that leaves it, ${entry.name}`);
    if (entry.kind !== 'file') continue;
    if (isManifest(entry.name)) await manifest.take(entry, maxManifest);
    else if (isReadme(entry.name) && entry.size <= maxReadme) await readme.take(entry, maxReadme);
  }
  if (!manifest.bytes) throw broken('it has no composer.json');
  return {
    ...readManifest(manifest.bytes.toString('utf8'), givenVersion, readme.bytes?.toString('utf8')),
    kind,
    suffix,
  };
}

function readManifest(json: string, givenVersion: string | undefined, readme: string | undefined) {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json.replace(/^\ufeff/, ''));
  } catch {
    throw broken('its composer.json is not valid JSON');
  }
  const checked = manifestSchema.validate(parsed, { stripUnknown: true, convert: false });
  if (checked.error) throw broken(`its composer.json is wrong: ${checked.error.message}`);
  const fields = checked.value as Record<string, unknown> & { name: string; version?: string };
  if (!namePattern.test(fields.name)) throw BadRequest('package name is invalid');
  // an address of its own goes before the file: pipelines know the version from their tag
  const version = tidySemver(givenVersion || fields.version || '');
  if (!version) throw BadRequest('package version is invalid or missing');
  const manifest = Object.fromEntries(
    storedFields.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]])),
  );
  for (const key of ['license', 'bin'])
    if (typeof manifest[key] === 'string') manifest[key] = manifest[key] ? [manifest[key]] : [];
  return { manifest: { ...manifest, ...(readme && { readme }) } as ComposerManifest, version };
}
