import { BadRequest, Joi } from '@mortise/plugin-sdk';
import { withoutNulls } from '@mortise/packages/api';

interface SwiftAuthor {
  readonly name?: string;
  readonly givenName?: string;
  readonly middleName?: string;
  readonly familyName?: string;
}

/** The publisher's metadata of a release, as far as it is stored. */
export interface SwiftMetadata {
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly license?: string;
  readonly licenseURL?: string;
  readonly codeRepository?: string;
  readonly author?: SwiftAuthor;
  readonly repositoryURLs?: readonly string[];
}

const text = Joi.string().allow('').max(65_536);
const web = Joi.string()
  .uri({ scheme: ['http', 'https'] })
  .max(2048)
  .allow('');
const schema = Joi.object({
  description: text,
  keywords: Joi.array().items(text).max(200),
  license: text,
  licenseURL: web,
  codeRepository: web,
  author: Joi.object({ name: text, givenName: text, middleName: text, familyName: text }),
  repositoryURLs: Joi.array().items(Joi.string().max(2048)).max(50),
});

/** Reads the part `metadata` of a publication; empty where it is not there. A field that is null is none. */
export function readMetadata(json: string | undefined): SwiftMetadata {
  if (json === undefined || json.trim() === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw BadRequest('The metadata is not valid JSON.');
  }
  if (typeof parsed !== 'object' || parsed === null) throw BadRequest('The metadata is no JSON object.');
  const checked = schema.validate(withoutNulls(parsed), { stripUnknown: true, convert: false });
  if (checked.error) throw BadRequest(`The metadata is wrong: ${checked.error.message}`);
  const fields = checked.value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as SwiftMetadata;
}

/** The record of schema.org that clients read. */
export function shownMetadata(name: string, version: string, metadata: SwiftMetadata): object {
  const { author, description, keywords, codeRepository, license, licenseURL, repositoryURLs } = metadata;
  const parts = [author?.givenName, author?.middleName, author?.familyName].filter(Boolean);
  return {
    '@context': ['http://schema.org/'],
    '@type': 'SoftwareSourceCode',
    name,
    version,
    ...(description && { description }),
    ...(keywords?.length && { keywords }),
    ...(codeRepository && { codeRepository }),
    ...(license && { license }),
    ...(licenseURL && { licenseURL }),
    ...(author && { author: { '@type': 'Person', ...author, name: author.name || parts.join(' ') } }),
    programmingLanguage: { '@type': 'ComputerLanguage', name: 'Swift', url: 'https://swift.org' },
    ...(repositoryURLs?.length && { repositoryURLs }),
  };
}
