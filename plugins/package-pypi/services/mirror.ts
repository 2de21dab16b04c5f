import { downloadPolicy, NotFound, reply, type Reply } from '@mortise/plugin-sdk';
import type { ThreadPool } from '@mortise/plugin-sdk/threads';
import {
  withDownloadFence,
  longDocumentBytes,
  proxyBase,
  type PackageRequest,
  type ProxySource,
  type ProxyContent,
  type ProxyDocument,
} from '@mortise/packages/api';
import type { PageForm } from './projects.js';
import { isRecord, rewritePage, type FileProperties, type RewriteTask, type RewrittenPage } from './rewrite.js';
import { normalized } from './upload.js';

/** The longest of the public index have some megabytes. */
const maxPage = 16 * 1024 * 1024;
const simple = 'application/vnd.pypi.simple.v1+json';
const isName = (name: string) => /^[a-z0-9](?:[a-z0-9-]{0,212}[a-z0-9])?$/.test(name);

/** Projects of another index, where there is none of the name here (PKG-20). */
export class Mirror {
  private readonly simple: string;

  constructor(
    private readonly source: ProxySource,
    private readonly threads: ThreadPool,
  ) {
    this.simple = source.address.endsWith('/simple') ? '' : '/simple';
  }

  async page(request: PackageRequest, form: PageForm, mediaType: string): Promise<Reply> {
    const { content, tag } = this.source.content(await this.need(request, form), request.baseUrl);
    // its links are for browsers too
    return withDownloadFence(reply.bytes(content, mediaType).tag(tag), `${downloadPolicy} allow-downloads`);
  }

  async file(request: PackageRequest): Promise<Reply> {
    const { url, checksums } = await this.facts(request);
    return this.source.file(request, { path: url, checksums, name: request.params.file! });
  }

  async metadata(request: PackageRequest): Promise<Reply> {
    const { url, metadata } = await this.facts(request);
    if (!metadata) throw NotFound('package file');
    const type = 'text/plain; charset=utf-8';
    return this.source.file(request, { path: `${url}.metadata`, checksums: metadata, name: null, type });
  }

  private async facts(request: PackageRequest): Promise<FileProperties> {
    const { properties: facts } = await this.need(request, 'json');
    const { file } = request.params;
    const properties = isRecord(facts) && Object.hasOwn(facts, file!) ? (facts[file!] as FileProperties) : undefined;
    if (!properties) throw NotFound('package file');
    return properties;
  }

  private async need({ actor, params }: PackageRequest, form: PageForm): Promise<ProxyDocument> {
    const name = normalized(params.name!);
    if (!isName(name)) throw NotFound('package');
    this.source.admit(actor, name);
    const path = `${this.simple}/${name}/`;
    const document = await this.source.document({
      actor,
      path,
      // each form is cached separately
      accept: form === 'json' ? simple : `${simple}; q=1.0`,
      maxBytes: maxPage,
      read: ({ body }) => this.rewrite({ body, name, address: `${this.source.address}${path}`, form, base: proxyBase }),
    });
    if (!document) throw NotFound('package');
    return document;
  }

  private async rewrite(task: RewriteTask): Promise<ProxyContent> {
    const isLong = task.body.length > longDocumentBytes;
    const { body, properties: facts } = isLong ? await this.threads.run<RewrittenPage>(task) : rewritePage(task);
    return { body: Buffer.from(body.buffer, body.byteOffset, body.length), properties: facts };
  }
}
