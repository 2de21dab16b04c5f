import gt from 'semver/functions/gt.js';
import valid from 'semver/functions/valid.js';
import {
  Forbidden,
  Joi,
  Problem,
  type CataloguePlugin,
  type Outbound,
  type PluginCatalogue,
} from '@mortise/plugin-sdk';
import type { Composition } from '../compose.js';
import { isAllowed, recordOf } from '../plugins/integrity.js';
import { names } from '../settings/names.js';
import { isPackageName } from './npm.js';

/** What packages say of themselves that are plugins. */
const keyword = 'keywords:mortise-plugin';
const maxFound = 50;
const maxWords = 200;
/** More plugins than that are not asked for. */
const maxUpdates = 50;
const timeoutMs = 10_000;
/** Of a list of packages, and of one package. */
const maxListBytes = 2 * 1024 * 1024;
const maxPackageBytes = 256 * 1024;
const maxText = 300;

interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly description?: string | null;
  readonly publisher?: { readonly username?: string | null } | null;
  /** In a manifest, where a search has `publisher`. */
  readonly _npmUser?: { readonly name?: string | null } | null;
}

const packageSchema = Joi.object<PublishedPackage>({
  name: Joi.string().required(),
  version: Joi.string().required(),
  description: Joi.string().allow('', null),
  publisher: Joi.object({ username: Joi.string().allow('', null) })
    .unknown()
    .allow(null),
  _npmUser: Joi.object({ name: Joi.string().allow('', null) })
    .unknown()
    .allow(null),
})
  .unknown()
  .required();
const searchSchema = Joi.object<{ readonly objects: readonly { readonly package: PublishedPackage }[] }>({
  objects: Joi.array()
    .items(Joi.object({ package: packageSchema }).unknown())
    .required(),
})
  .unknown()
  .required();

/** One line of untrusted text, without control characters, which a terminal would obey, or marks that turn its direction. */
const withoutControlCharacters = (text: string | null | undefined): string =>
  (text ?? '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, maxText);

/** The search of an npm registry (`GET /-/v1/search`) and the newest manifest of a package (`GET /NAME/latest`). */
export class NpmPluginCatalogue implements PluginCatalogue {
  constructor(private readonly deps: { readonly composition: Composition; readonly outbound: Outbound }) {}

  get host(): string | undefined {
    const address = this.#settings.CATALOGUE_URL;
    return address === '' ? undefined : new URL(address).host;
  }

  async search(words: string): Promise<readonly CataloguePlugin[]> {
    const query = new URLSearchParams({ text: `${keyword} ${words.slice(0, maxWords)}`.trim(), size: `${maxFound}` });
    const { objects } = await this.#ask(`-/v1/search?${query}`, searchSchema, maxListBytes);
    return objects.slice(0, maxFound).flatMap((one) => this.#shown(one.package));
  }

  async updates(): Promise<readonly CataloguePlugin[]> {
    const wanted = [...this.#installed.keys()].slice(0, maxUpdates);
    const answers = await Promise.allSettled(
      wanted.map((name) => this.#ask(`${name.replace('/', '%2F')}/latest`, packageSchema, maxPackageBytes)),
    );
    const failed = answers.find((one) => one.status === 'rejected');
    // one that was taken back, or is of another registry, says nothing of the others
    if (failed && answers.every(({ status }) => status === 'rejected')) throw failed.reason;
    return answers
      .flatMap((one) => (one.status === 'fulfilled' ? this.#shown(one.value) : []))
      .filter(({ isUpdate }) => isUpdate);
  }

  get #settings() {
    return this.deps.composition.settings.plugins;
  }

  /** Name of the package → version, of plugins that were added from a registry. */
  get #installed(): ReadonlyMap<string, string> {
    const { found } = this.deps.composition;
    return new Map(
      found
        .filter((one) => one.from === 'added' && recordOf(one)?.registry !== undefined)
        .map(({ packageName, version }) => [packageName, version]),
    );
  }

  /** Nothing where the registry names it in a way that nobody could ask for. */
  #shown({ name, version, description, publisher, _npmUser: npmUser }: PublishedPackage): CataloguePlugin[] {
    if (!isPackageName(name) || name.length > maxText || !valid(version)) return [];
    const installed = this.#installed.get(name);
    return [
      {
        packageName: name,
        version,
        description: withoutControlCharacters(description),
        publisher: withoutControlCharacters(publisher?.username ?? npmUser?.name),
        ...(installed !== undefined && { installed }),
        isUpdate: installed !== undefined && gt(version, installed),
        isAllowed: isAllowed({ packageName: name, from: 'added' }, names(this.#settings.ALLOWED)),
      },
    ];
  }

  async #ask<T>(path: string, schema: Joi.ObjectSchema<T>, maxBytes: number): Promise<T> {
    const address = this.#settings.CATALOGUE_URL;
    if (address === '') throw Forbidden('[plugins] CATALOGUE_URL is empty: no registry is asked for plugins.');
    const base = new URL(address.endsWith('/') ? address : `${address}/`);
    const problem = (why: string) =>
      new Problem('unavailable', `${base.host} did not answer as a registry does: ${why}`);
    const { status, body } = await this.deps.outbound
      .fetch(new URL(path, base).href, {
        headers: { accept: 'application/json' },
        // the operator has named it; a redirect to another host is refused
        allowedHosts: base.hostname.replace(/^\[|\]$/g, ''),
        timeoutMs,
        maxResponseBytes: maxBytes,
      })
      .catch((error: unknown) => {
        throw problem((error as Error).message);
      });
    if (status !== 200) throw problem(`status ${status}`);
    let answer: unknown;
    try {
      answer = JSON.parse(body.toString('utf8'));
    } catch {
      throw problem('no JSON');
    }
    const { value, error } = schema.validate(answer);
    if (error) throw problem(error.message.slice(0, maxText));
    return value as T;
  }
}
