import { NotFound, reply, type Reply } from '@mortise/plugin-sdk';
import type { ThreadPool } from '@mortise/plugin-sdk/threads';
import {
  withDownloadFence,
  longDocumentBytes,
  proxyBase,
  type PackageRequest,
  type ProxySource,
  type ProxyDocument,
} from '@mortise/packages/api';
import { isName } from './publication.js';
import {
  rewritePackument,
  type PackumentProperties,
  type RewriteTask,
  type RewrittenPackument,
  type TarballProperties,
} from './rewrite.js';

const maxPackument = 48 * 1024 * 1024;

export const shortType = 'application/vnd.npm.install-v1+json';

/** Packages of another registry, where there is none of the name here (PKG-20). */
export class Mirror {
  constructor(
    private readonly source: ProxySource,
    private readonly threads: ThreadPool,
  ) {}

  async packument(request: PackageRequest, name: string, short: boolean): Promise<Reply> {
    const document = await this.need(request, name, short);
    const { content, tag } = this.source.content(document, request.baseUrl);
    return withDownloadFence(reply.bytes(content, short ? shortType : 'application/json').tag(tag)).header(
      'vary',
      'accept, authorization',
    );
  }

  async tags(request: PackageRequest, name: string): Promise<object> {
    const { properties: facts } = await this.need(request, name, true);
    return (facts as PackumentProperties).tags;
  }

  async tarball(request: PackageRequest, name: string, file: string, version: string | undefined): Promise<Reply> {
    const { properties: facts } = await this.need(request, name, true);
    const tarball = tarballOf(facts as PackumentProperties, file.toLowerCase(), version);
    if (!tarball) throw NotFound('file');
    return this.source.file(request, { path: tarball.url, checksums: tarball.checksums, name: file });
  }

  private async need(request: PackageRequest, name: string, short: boolean): Promise<ProxyDocument> {
    if (!isName(name)) throw NotFound('package');
    this.source.admit(request.actor, name);
    const document = await this.source.document({
      actor: request.actor,
      path: `/${name.replace('/', '%2f')}`,
      accept: short ? `${shortType}; q=1.0, application/json; q=0.8` : 'application/json',
      maxBytes: maxPackument,
      read: ({ body }) => this.rewrite(body, name),
    });
    if (!document) throw NotFound('package');
    return document;
  }

  private async rewrite(body: Buffer, name: string): Promise<RewrittenPackument> {
    if (body.length <= longDocumentBytes) return rewritePackument(body, name, proxyBase);
    const made = await this.threads.run<RewrittenPackument>({ body, name, base: proxyBase } satisfies RewriteTask);
    // what comes out of a thread is plain bytes
    return { ...made, body: Buffer.from(made.body) };
  }
}

/** Addresses of ours tell the version; without it, as in old lock files, the name must be that of one tarball alone. */
function tarballOf(
  { tarballs }: PackumentProperties,
  file: string,
  version: string | undefined,
): TarballProperties | undefined {
  if (version !== undefined) {
    const named = Object.hasOwn(tarballs, version) ? tarballs[version] : undefined;
    return named?.file === file ? named : undefined;
  }
  const matches = Object.values(tarballs).filter((one) => one.file === file);
  return matches.length === 1 ? matches[0] : undefined;
}
