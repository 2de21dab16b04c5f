import { createHash } from 'node:crypto';
import { BadRequest, Conflict, NotFound, type Actor, type QueryCache } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  escapeXml,
  inPieces,
  type Package,
  type PackageFile,
  type PackageForm,
  type PackageStore,
  type PackageVersion,
  type ReceivedBlob,
} from '@mortise/packages/api';
import { checkContent, normalized, readUpload, wheelMetadata, type Release } from './upload.js';

export const type = 'pypi';
export const pythonProperty = 'pypi.requires_python';
const metadataProperty = 'pypi.metadata_sha256';
const descriptionProperty = 'pypi.metadata';
const attestationsProperty = 'pypi.attestations';
/** Bytes of a description stored beside its wheel; longer ones are read from the archive. */
const maxKept = 256 * 1024;

/** A page of the simple index in one of its two forms. */
export interface Page {
  readonly text: string;
  readonly tag: string;
}
export type PageForm = 'html' | 'json';

interface Listed {
  readonly file: PackageFile;
  readonly version: PackageVersion;
  readonly requiresPython: string | undefined;
  readonly metadata: string | undefined;
  readonly hasAttestations: boolean;
}

export class Projects {
  constructor(
    private readonly store: PackageStore,
    private readonly pages: QueryCache<Page>,
  ) {}

  find(owner: Account, name: string): Promise<Package | undefined> {
    return this.store.find(owner.id, type, normalized(name));
  }

  async need(owner: Account, name: string): Promise<Package> {
    const project = await this.find(owner, name);
    if (!project) throw NotFound('package');
    return project;
  }

  async needVersion(
    owner: Account,
    name: string,
    version: string,
  ): Promise<{ package_: Package; version: PackageVersion }> {
    const package_ = await this.need(owner, name);
    const packageVersion = await this.store.findVersion(package_.id, version);
    if (!packageVersion) throw NotFound('package version');
    return { package_, version: packageVersion };
  }

  async needFile(owner: Account, name: string, version: string, file: string) {
    const release = await this.needVersion(owner, name, version);
    const one = await this.store.findFile(release.version.id, file);
    if (!one) throw NotFound('package file');
    return { ...release, file: one };
  }

  /** The description inside of a wheel (PEP 658), as stored with the upload; or from the archive. */
  async description(file: PackageFile): Promise<Buffer> {
    const kept = (await this.store.properties('file', [file.id], descriptionProperty)).get(file.id);
    return kept ? Buffer.from(kept.map(({ value }) => value).join('')) : wheelMetadata(this.store, file);
  }

  async attestations(file: PackageFile): Promise<unknown> {
    const text = (await this.store.properties('file', [file.id], attestationsProperty))
      .get(file.id)
      ?.map((one) => one.value)
      .join('');
    if (!text) throw NotFound('attestation');
    return JSON.parse(text) as unknown;
  }

  async upload(owner: Account, actor: Actor, form: PackageForm): Promise<void> {
    let received: { name: string; blob: ReceivedBlob } | undefined;
    const fields = await form.read(async ({ field, fileName, content }) => {
      // signatures beside the file are passed over
      if (field !== 'content' || received) return;
      received = { name: fileName, blob: await this.store.receive(type, content, actor) };
    });
    if (!received) throw BadRequest('The form has no file in its field content.');
    const { name: file, blob } = received;
    const { name, version, release, attestations } = readUpload(fields, file, blob);
    const before = await this.store.find(owner.id, type, name);
    const same = before && (await this.store.findVersion(before.id, version));
    if (same && (await this.store.findFile(same.id, file))) throw Conflict('package file already exists');
    const description = await checkContent(this.store, file, blob);
    const properties: Record<string, string | readonly string[]> = {};
    if (release.requires_python) properties[pythonProperty] = release.requires_python;
    if (description) properties[metadataProperty] = createHash('sha256').update(description).digest('hex');
    const text = description && keptText(description);
    if (text) properties[descriptionProperty] = inPieces(text);
    if (attestations) properties[attestationsProperty] = inPieces(attestations);
    await this.store.publish({
      owner,
      actor,
      type,
      name,
      version,
      metadata: { ...release },
      files: [{ name: file, blob, properties }],
      onVersion: 'join',
    });
  }

  /** PEP 592: chosen only by those who ask for exactly this release. */
  async yank(owner: Account, name: string, version: string, reason: string | undefined): Promise<void> {
    const { version: packageVersion } = await this.needVersion(owner, name, version);
    const { yanked: _before, ...release } = packageVersion.metadata as Release;
    await this.store.setMetadata(
      packageVersion.id,
      reason === undefined ? { ...release } : { ...release, yanked: reason },
    );
  }

  /** Names of all projects. */
  async root(owner: Account, form: PageForm): Promise<string> {
    const names: string[] = [];
    for (let offset = 0; ; offset += 1000) {
      const { items } = await this.store.search({ ownerId: owner.id, type, latest: true, limit: 1000, offset });
      names.push(...items.map((item) => normalized(item.package.name)));
      if (items.length < 1000) break;
    }
    names.sort();
    if (form === 'json')
      return JSON.stringify({ meta: { 'api-version': '1.1' }, projects: names.map((name) => ({ name })) });
    return html(
      'Simple index',
      names.map((name) => `<a href="${name}/">${name}</a><br>`),
    );
  }

  /** Files of a project; remembered while nothing was committed. */
  page(package_: Package, form: PageForm, baseUrl: string): Promise<Page> {
    return this.pages.load(`${package_.id}:${form}:${baseUrl}`, async () => {
      const versions = await this.store.versions(package_.id);
      if (versions.length === 0) throw NotFound('package');
      const listed = await this.list(versions);
      const url = ({ file, version }: Listed) =>
        `${baseUrl}/files/${[normalized(package_.name), version.version, file.name].map(encodeURIComponent).join('/')}`;
      const text =
        form === 'json'
          ? JSON.stringify(jsonPage(package_, versions, listed, url))
          : html(
              `Links for ${package_.name}`,
              listed.map((one) => link(one, url(one))),
            );
      return { text, tag: createHash('sha256').update(text).digest('hex').slice(0, 40) };
    });
  }

  private async list(versions: readonly PackageVersion[]): Promise<Listed[]> {
    const files = await this.store.files(versions.map(({ id }) => id));
    const properties = await this.store.properties(
      'file',
      [...files.values()].flat().map(({ id }) => id),
      [pythonProperty, metadataProperty, attestationsProperty],
    );
    return [...versions].reverse().flatMap((version) =>
      (files.get(version.id) ?? []).map((file) => {
        const of = (name: string) => properties.get(file.id)?.find((one) => one.name === name)?.value;
        return {
          file,
          version,
          requiresPython: of(pythonProperty),
          metadata: of(metadataProperty),
          hasAttestations: of(attestationsProperty) !== undefined,
        };
      }),
    );
  }
}

/** The description as a text that gives the same bytes again; undefined where none does, or it is too long. */
function keptText(description: Buffer): string | undefined {
  if (description.length > maxKept) return undefined;
  const text = description.toString('utf8');
  return Buffer.from(text).equals(description) ? text : undefined;
}

export const html = (title: string, lines: readonly string[]): string =>
  `<!DOCTYPE html>\n<html>\n<head><meta name="pypi:repository-version" content="1.1"><title>${escapeXml(title)}</title></head>\n<body>\n<h1>${escapeXml(title)}</h1>\n${lines.join('\n')}\n</body>\n</html>\n`;

/** A line of a page; `url` with the checksum behind it. */
export function linkOf({
  name,
  url,
  requiresPython,
  metadata,
  yanked,
}: {
  readonly name: string;
  readonly url: string;
  readonly requiresPython: string | undefined;
  readonly metadata: string | undefined;
  readonly yanked: string | undefined;
}): string {
  const attributes = [
    `href="${escapeXml(url)}"`,
    ...(requiresPython ? [`data-requires-python="${escapeXml(requiresPython)}"`] : []),
    ...(metadata ? [`data-core-metadata="sha256=${metadata}"`, `data-dist-info-metadata="sha256=${metadata}"`] : []),
    ...(yanked === undefined ? [] : [`data-yanked="${escapeXml(yanked)}"`]),
  ];
  return `<a ${attributes.join(' ')}>${escapeXml(name)}</a><br>`;
}

const link = ({ file, version, requiresPython, metadata }: Listed, url: string): string =>
  linkOf({
    name: file.name,
    url: `${url}#sha256=${file.sha256}`,
    requiresPython,
    metadata,
    yanked: (version.metadata as Release).yanked,
  });

function jsonPage(
  package_: Package,
  versions: readonly PackageVersion[],
  listed: readonly Listed[],
  url: (one: Listed) => string,
): object {
  return {
    meta: { 'api-version': '1.1' },
    name: normalized(package_.name),
    versions: versions.map((one) => one.version).reverse(),
    files: listed.map((one) => {
      const { file, version, requiresPython, metadata, hasAttestations } = one;
      const { yanked } = version.metadata as Release;
      return {
        filename: file.name,
        url: url(one),
        hashes: { sha256: file.sha256 },
        size: file.size,
        'upload-time': new Date(file.createdAt).toISOString(),
        ...(requiresPython && { 'requires-python': requiresPython }),
        ...(metadata && { 'core-metadata': { sha256: metadata } }),
        ...(hasAttestations && { provenance: `${url(one)}.provenance` }),
        yanked: yanked === undefined ? false : yanked || true,
      };
    }),
  };
}
