import { NotFound, reply, type Reply } from '@mortise/plugin-sdk';
import type { Threads } from '@mortise/plugin-sdk/threads';
import {
  fenced,
  longDocument,
  type PackageRequest,
  type Upstream,
  type UpstreamContent,
  type UpstreamDocument,
} from '@mortise/packages/api';
import { readIndex, type IndexFacts, type IndexTask, type ReadIndex } from './read-index.js';

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
    private readonly upstream: Upstream,
    private readonly threads: Threads,
  ) {}

  get needsSignIn(): boolean {
    return this.upstream.needsSignIn;
  }

  async index(request: PackageRequest): Promise<Reply> {
    const { body, tag } = await this.need(request);
    return fenced(reply.bytes(body, 'text/plain; charset=utf-8').tag(tag));
  }

  async crate(request: PackageRequest): Promise<Reply> {
    const { facts } = await this.need(request);
    const { name, checksums } = facts as IndexFacts;
    const version = request.params.version!;
    const hex = Object.hasOwn(checksums, version) ? checksums[version] : undefined;
    if (hex === undefined) throw NotFound('package version');
    const config = await this.upstream.document({
      actor: request.actor,
      path: '/config.json',
      read: readConfig,
    });
    if (!config) throw NotFound('package file');
    return this.upstream.file(request, {
      path: addressOf(config.facts as string, name, version, hex),
      checksums: [{ algorithm: 'sha256', hex }],
      name: `${name}-${version}.crate`,
    });
  }

  private async need({ actor, params }: PackageRequest): Promise<UpstreamDocument> {
    const name = params.name!.toLowerCase();
    if (!isName(name)) throw NotFound('package');
    // patterns of own names hold for the likes of them too
    for (const like of [name, name.replaceAll('_', '-'), name.replaceAll('-', '_')]) this.upstream.admit(actor, like);
    const document = await this.upstream.document({
      actor,
      path: `/${prefixOf(name)}/${name}`,
      maxBytes: maxIndex,
      read: ({ body }) => this.read({ body, wanted: name }),
    });
    if (!document) throw NotFound('package');
    return document;
  }

  private async read(task: IndexTask): Promise<UpstreamContent> {
    const isLong = task.body.length > longDocument;
    const { body, facts } = isLong ? await this.threads.run<ReadIndex>(task) : readIndex(task);
    return { body: Buffer.from(body.buffer, body.byteOffset, body.length), facts };
  }
}

function readConfig({ body }: { readonly body: Buffer }): UpstreamContent {
  const { dl } = JSON.parse(body.toString('utf8')) as { readonly dl?: unknown };
  if (typeof dl !== 'string') throw new Error('it does not say where crates are');
  return { body, facts: dl };
}
