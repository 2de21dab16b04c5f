import { Readable } from 'node:stream';
import { BadRequest, Joi } from '@mortise/plugin-sdk';
import { gunzip, isPlainPath, parseSemver, tarEntries } from '@mortise/packages/api';

/** What cargo sends about a version (its `api/v1/crates/new`). */
export interface CrateManifest {
  readonly name: string;
  readonly vers: string;
  readonly deps: readonly CrateDependency[];
  readonly features: Readonly<Record<string, readonly string[]>>;
  readonly authors?: readonly string[];
  readonly description?: string | null;
  readonly documentation?: string | null;
  readonly homepage?: string | null;
  readonly readme?: string | null;
  readonly readme_file?: string | null;
  readonly keywords?: readonly string[];
  readonly categories?: readonly string[];
  readonly license?: string | null;
  readonly license_file?: string | null;
  readonly repository?: string | null;
  readonly links?: string | null;
  readonly rust_version?: string | null;
}

export interface CrateDependency {
  readonly name: string;
  readonly version_req: string;
  readonly features: readonly string[];
  readonly optional: boolean;
  readonly default_features: boolean;
  readonly target?: string | null;
  readonly kind: string;
  readonly registry?: string | null;
  readonly explicit_name_in_toml?: string | null;
}

const text = Joi.string().allow('', null);
const words = Joi.array().items(Joi.string().allow(''));
const dependency = Joi.object<CrateDependency>({
  name: Joi.string().required(),
  version_req: Joi.string().allow('').required(),
  features: words.default([]),
  optional: Joi.boolean().default(false),
  default_features: Joi.boolean().default(true),
  target: text,
  kind: Joi.string().valid('normal', 'dev', 'build').allow(null).empty(null).default('normal'),
  registry: text,
  explicit_name_in_toml: text,
}).unknown();
const manifest = Joi.object<CrateManifest>({
  name: Joi.string()
    .pattern(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/)
    .required(),
  // the name of the file holds both, and has room for 255 characters
  vers: Joi.string().max(150).required(),
  deps: Joi.array().items(dependency).default([]),
  features: Joi.object().pattern(Joi.string(), words).allow(null).empty(null).default({}),
  authors: words,
  description: text,
  documentation: text,
  homepage: text,
  readme: text,
  readme_file: text,
  keywords: words,
  categories: words,
  license: text,
  license_file: text,
  repository: text,
  links: text,
  rust_version: text,
}).unknown();

const maxManifest = 1024 * 1024;

/** The frame: length and JSON, length and crate, both lengths 32 bits, little end first. The crate is a stream. */
export async function readFrame(body: Readable): Promise<{ manifest: CrateManifest; crate: Readable; size: number }> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let rest: Buffer = Buffer.alloc(0);
  const take = async (count: number): Promise<Buffer> => {
    while (rest.length < count) {
      const next = await chunks.next();
      if (next.done) throw BadRequest('The upload ends too early.');
      rest = Buffer.concat([rest, next.value]);
    }
    const taken = rest.subarray(0, count);
    rest = rest.subarray(count);
    return taken;
  };
  const jsonLength = (await take(4)).readUInt32LE();
  if (jsonLength > maxManifest) throw BadRequest('The description of the crate is too long.');
  let parsed: unknown;
  try {
    parsed = JSON.parse((await take(jsonLength)).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw BadRequest('The description of the crate is not valid JSON.');
    throw error;
  }
  const checked = manifest.validate(parsed, { abortEarly: true });
  if (checked.error) throw BadRequest(`The description of the crate is wrong: ${checked.error.message}`);
  if (!parseSemver(checked.value.vers)) throw BadRequest('The version of the crate is no semver version.');
  const size = (await take(4)).readUInt32LE();
  async function* content(): AsyncGenerator<Buffer> {
    let missing = size;
    if (rest.length > 0) {
      missing -= rest.length;
      yield rest;
    }
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      missing -= next.value.length;
      yield next.value;
    }
    if (missing !== 0) throw BadRequest('The upload is not as long as it says.');
  }
  return { manifest: checked.value, crate: Readable.from(content(), { objectMode: false }), size };
}

/** A gzipped tar with a manifest, whose files stay in their folder. */
export async function checkCrate(content: Readable): Promise<void> {
  let hasManifest = false;
  for await (const entry of tarEntries(gunzip(content), { maxBytes: 256 * 1024 * 1024 })) {
    if (!isPlainPath(entry.name) || entry.kind === 'link' || entry.kind === 'other')
      throw BadRequest(`The crate holds something that is no plain file: ${entry.name}`);
    if (/^[^/]+\/Cargo\.toml$/.test(entry.name)) hasManifest = true;
  }
  if (!hasManifest) throw BadRequest('The crate has no Cargo.toml.');
}
