import { NotFound, reply, type Reply } from '@mortise/plugin-sdk';
import type { Threads } from '@mortise/plugin-sdk/threads';
import { fenced, upstreamBase, type PackageRequest, type Upstream, type UpstreamDocument } from '@mortise/packages/api';
import { isRecord } from './json.js';
import { isName } from './publication.js';
import { rewritePackument, type RewriteTask, type RewrittenPackument, type TarballFacts } from './rewrite.js';

const maxPackument = 48 * 1024 * 1024;
/** Larger documents are rewritten in a thread. */
const threadBytes = 512 * 1024;

export const shortType = 'application/vnd.npm.install-v1+json';

/** Packages of another registry, where there is none of the name here (PKG-20). */
export class Mirror {
  constructor(
    private readonly upstream: Upstream,
    private readonly threads: Threads,
  ) {}

  async packument(request: PackageRequest, name: string, short: boolean): Promise<Reply> {
    const document = await this.need(request, name, short);
    const { text, tag } = this.upstream.page(document, request.baseUrl);
    return fenced(reply.bytes(text, short ? shortType : 'application/json').tag(tag)).header(
      'vary',
      'accept, authorization',
    );
  }

  async tags(request: PackageRequest, name: string): Promise<object> {
    const { body } = await this.need(request, name, true);
    const document = JSON.parse(body.toString('utf8')) as { readonly 'dist-tags'?: object };
    return document['dist-tags'] ?? {};
  }

  async tarball(request: PackageRequest, name: string, file: string, version: string | undefined): Promise<Reply> {
    const { facts } = await this.need(request, name, true);
    const key = file.toLowerCase();
    const found = isRecord(facts) && Object.hasOwn(facts, key) ? (facts[key] as TarballFacts) : undefined;
    if (!found || (version !== undefined && found.version !== version)) throw NotFound('file');
    return this.upstream.file(request, { path: found.url, checksums: found.checksums, name: file });
  }

  private async need(request: PackageRequest, name: string, short: boolean): Promise<UpstreamDocument> {
    if (!isName(name)) throw NotFound('package');
    this.upstream.admit(request.actor, name);
    const document = await this.upstream.document({
      path: `/${name.replace('/', '%2f')}`,
      accept: short ? `${shortType}; q=1.0, application/json; q=0.8` : 'application/json',
      maxBytes: maxPackument,
      read: ({ body }) => this.rewrite(body, name),
    });
    if (!document) throw NotFound('package');
    return document;
  }

  private async rewrite(body: Buffer, name: string): Promise<RewrittenPackument> {
    if (body.length < threadBytes) return rewritePackument(body, name, upstreamBase);
    const made = await this.threads.run<RewrittenPackument>({ body, name, base: upstreamBase } satisfies RewriteTask);
    // what comes out of a thread is plain bytes
    return { ...made, body: Buffer.from(made.body) };
  }
}
