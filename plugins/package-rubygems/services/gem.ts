import { gunzipSync } from 'node:zlib';
import type { Readable } from 'node:stream';
import { BadRequest, isJsonObject } from '@mortise/plugin-sdk';
import { isPlainPath, readYaml, tarEntries } from '@mortise/packages/api';
import { isGemVersion } from './versions.js';

/** `['>=', '2.0']`: all of a list must hold. */
export type Requirement = readonly (readonly [string, string])[];

interface GemDependency {
  readonly name: string;
  readonly requirement: Requirement;
  readonly isDevelopment: boolean;
}

/** What a gem says of itself, as far as the indexes and the page need it. */
export interface GemSpec {
  readonly name: string;
  readonly version: string;
  readonly platform: string;
  readonly summary: string;
  readonly description: string;
  readonly email: readonly string[];
  readonly authors: readonly string[];
  readonly homepage: string;
  readonly licenses: readonly string[];
  readonly links: Readonly<Record<string, string>>;
  readonly dependencies: readonly GemDependency[];
  readonly ruby: Requirement;
  readonly rubygems: Requirement;
  readonly rubygemsVersion: string;
}

const maxPacked = 1024 * 1024;
const maxUnpacked = 8 * 1024 * 1024;
const maxKept = 128 * 1024;
/** What aliases may stand for, in characters; those of Ruby name requirements a second time. */
const maxRepeated = 128 * 1024;
const maxDependencies = 1000;
const namePattern = /^[\w.-]+$/;
const platformPattern = /^[A-Za-z0-9_][\w.-]{0,60}$/;
const operators = new Set(['=', '!=', '>', '<', '>=', '<=', '~>']);
const anything: Requirement = [['>=', '0']];

/** Keys at the top that are read; lists of files, which can be very long, are passed over. */
const wanted =
  /^(?:name|version|platform|authors?|email|dependencies|description|summary|homepage|licenses?|metadata|required_ruby_version|required_rubygems_version|rubygems_version):/;

/** The description inside of a gem. The content is read to its end: nothing in it may leave its place. */
export async function readGem(content: Readable): Promise<GemSpec> {
  let text: string | undefined;
  let hasData = false;
  for await (const entry of tarEntries(content, { maxBytes: 2 * 1024 ** 3, maxEntries: 1000 })) {
    if (!isPlainPath(entry.name) || entry.kind !== 'file')
      throw BadRequest(`The gem holds something that is no plain file: ${entry.name}`);
    if (entry.name === 'data.tar.gz') hasData = true;
    if (entry.name !== 'metadata.gz') continue;
    if (text !== undefined) throw BadRequest('The gem has two descriptions.');
    text = unpacked(await entry.content(maxPacked));
  }
  if (text === undefined || !hasData) throw BadRequest('The gem has no description or no data.');
  return readSpec(text);
}

function unpacked(bytes: Buffer): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnpacked }).toString('utf8');
  } catch (error) {
    throw BadRequest(`The description of the gem cannot be unpacked: ${(error as Error).message}`);
  }
}

function sectionsOf(text: string): string {
  let kept = '';
  let isWanted = false;
  for (const line of text.split('\n')) {
    if (/^\w/.test(line)) isWanted = wanted.test(line);
    if (!isWanted) continue;
    kept += `${line}\n`;
    if (kept.length > maxKept) throw BadRequest('The description of the gem is too long.');
  }
  return kept;
}

/** YAML as Ruby writes it; classes of objects are ignored, each scalar is a text. */
function readSpec(text: string): GemSpec {
  const what = 'The description of the gem';
  return specOf(recordOf(readYaml(sectionsOf(text), { what, maxRepeated, asTexts: true })));
}

type Fields = Readonly<Record<string, unknown>>;
const recordOf = (value: unknown): Fields => (isJsonObject(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === 'string' && value !== '~' ? value : '');
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === '' || value === null ? [] : [value];
const textsOf = (value: unknown): readonly string[] => listOf(value).map(textOf).filter(Boolean);
const versionOf = (value: unknown): string => textOf(value) || textOf(recordOf(value).version);

function platformOf(value: unknown): string {
  const { cpu, os, version } = recordOf(value);
  const parts = [cpu, os, version].map(textOf).filter(Boolean).join('-');
  return textOf(value) || parts || 'ruby';
}

function specOf(fields: Fields): GemSpec {
  const name = textOf(fields.name);
  const version = versionOf(fields.version);
  const platform = platformOf(fields.platform);
  if (!namePattern.test(name) || name.length > 100 || !/[A-Za-z]/.test(name))
    throw BadRequest('package name is invalid');
  if (!isGemVersion(version)) throw BadRequest('package version is invalid');
  if (!platformPattern.test(platform)) throw BadRequest('package platform is invalid');
  const dependencies = listOf(fields.dependencies);
  if (dependencies.length > maxDependencies) throw BadRequest('The gem has too many dependencies.');
  return {
    name,
    version,
    platform,
    summary: textOf(fields.summary),
    description: textOf(fields.description),
    email: textsOf(fields.email),
    authors: [...textsOf(fields.authors), ...textsOf(fields.author)],
    homepage: textOf(fields.homepage),
    licenses: [...textsOf(fields.licenses), ...textsOf(fields.license)],
    links: Object.fromEntries(
      Object.entries(recordOf(fields.metadata)).flatMap(([key, value]) =>
        textOf(value) ? [[key, textOf(value)]] : [],
      ),
    ),
    dependencies: dependencies.map((one) => dependencyOf(recordOf(one))),
    ruby: requirementOf(fields.required_ruby_version),
    rubygems: requirementOf(fields.required_rubygems_version),
    rubygemsVersion: textOf(fields.rubygems_version),
  };
}

function dependencyOf(fields: Fields): GemDependency {
  const name = textOf(fields.name);
  if (!namePattern.test(name) || name.length > 100) throw BadRequest('A dependency of the gem has an invalid name.');
  return {
    name,
    requirement: requirementOf(fields.requirement ?? fields.version_requirements),
    isDevelopment: textOf(fields.type) === ':development',
  };
}

function requirementOf(value: unknown): Requirement {
  const requirements = listOf(recordOf(value).requirements).map((one): readonly [string, string] => {
    const [operator, version] = listOf(one);
    const pair = [textOf(operator), versionOf(version)] as const;
    if (!operators.has(pair[0]) || !/^[0-9A-Za-z.-]{1,100}$/.test(pair[1]))
      throw BadRequest('A requirement of the gem is invalid.');
    return pair;
  });
  if (requirements.length > 50) throw BadRequest('A requirement of the gem is too long.');
  return requirements.length > 0 ? requirements : anything;
}

export const isAnything = (requirement: Requirement): boolean =>
  requirement.length === 1 && requirement[0]![0] === '>=' && requirement[0]![1] === '0';

/** `1.0.0-x86_64-linux`; without the platform where it is Ruby's own. */
export const fullVersion = (version: string, platform: string): string =>
  platform === 'ruby' ? version : `${version}-${platform}`;
