import { NotFound, reply, type Reply } from '@mortise/plugin-sdk';
import type { ThreadPool } from '@mortise/plugin-sdk/threads';
import {
  withDownloadFence,
  longDocumentBytes,
  type PackageRequest,
  type ProxySource,
  type ProxyContent,
  type ProxyDocument,
} from '@mortise/packages/api';
import { readIndex, type IndexProperties, type IndexTask, type ReadIndex } from './read-index.js';

const maxIndex = 8 * 1024 * 1024;
const isName = (name: string) => /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name);

/** The folders of a crate in an index. */
function prefixOf(name: string): string {
  if (name.length < 3) return String(name.length);
  return name.length === 3 ? `3/${name[0]}` : `${name.slice(0, 2)}/${name.slice(2, 4)}`;
}

/** Where `dl` of an index leads for a crate. */
function addressOf(dl: string, name: string, version: string, checksum: string): string {
  if (!/\{(?:crate|version|prefix|lowerprefix|sha256-checksum)\}/.test(dl)) return `${dl}/${name}/${version}/download`;
  return dl
    .replaceAll('{crate}', name)
    .replaceAll('{version}', version)
    .replaceAll('{prefix}', prefixOf(name))
    .replaceAll('{lowerprefix}', prefixOf(name.toLowerCase()))
    .replaceAll('{sha256-checksum}', checksum);
}

/** Crates of another registry, where there is none of the name here (PKG-20). */
export class Mirror {
  constructor(
    private readonly source: ProxySource,
    private readonly threads: ThreadPool,
  ) {}

  get needsSignIn(): boolean {
    return this.source.needsSignIn;
  }

  async index(request: PackageRequest): Promise<Reply> {
    const { body, tag } = await this.need(request);
    return withDownloadFence(reply.bytes(body, 'text/plain; charset=utf-8').tag(tag));
  }

  async crate(request: PackageRequest): Promise<Reply> {
    const { properties: facts } = await this.need(request);
    const { name, checksums } = facts as IndexProperties;
    const version = request.params.version!;
    const hex = Object.hasOwn(checksums, version) ? checksums[version] : undefined;
    if (hex === undefined) throw NotFound('package version');
    const config = await this.source.document({
      actor: request.actor,
      path: '/config.json',
      read: readConfig,
    });
    if (!config) throw NotFound('package file');
    return this.source.file(request, {
      path: addressOf(config.properties as string, name, version, hex),
      checksums: [{ algorithm: 'sha256', hex }],
      name: `${name}-${version}.crate`,
    });
  }

  private async need({ actor, params }: PackageRequest): Promise<ProxyDocument> {
    const name = params.name!.toLowerCase();
    if (!isName(name)) throw NotFound('package');
    // patterns of own names hold for the likes of them too
    for (const like of [name, name.replaceAll('_', '-'), name.replaceAll('-', '_')]) this.source.admit(actor, like);
    const document = await this.source.document({
      actor,
      path: `/${prefixOf(name)}/${name}`,
      maxBytes: maxIndex,
      read: ({ body }) => this.read({ body, wanted: name }),
    });
    if (!document) throw NotFound('package');
    return document;
  }

  private async read(task: IndexTask): Promise<ProxyContent> {
    const isLong = task.body.length > longDocumentBytes;
    const { body, properties: facts } = isLong ? await this.threads.run<ReadIndex>(task) : readIndex(task);
    return { body: Buffer.from(body.buffer, body.byteOffset, body.length), properties: facts };
  }
}

function readConfig({ body }: { readonly body: Buffer }): ProxyContent {
  const { dl } = JSON.parse(body.toString('utf8')) as { readonly dl?: unknown };
  if (typeof dl !== 'string') throw new Error('it does not say where crates are');
  return { body, properties: dl };
}
