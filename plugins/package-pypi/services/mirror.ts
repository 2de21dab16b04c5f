import { downloadFence, NotFound, reply, type Reply } from '@mortise/plugin-sdk';
import {
  fenced,
  upstreamBase,
  type PackageRequest,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamChecksum,
  type UpstreamContent,
  type UpstreamDocument,
} from '@mortise/packages/api';
import { html, linkOf, type PageForm } from './projects.js';
import { normalized } from './upload.js';

const maxPage = 24 * 1024 * 1024;
const simple = 'application/vnd.pypi.simple.v1+json';
const isName = (name: string) => /^[a-z0-9](?:[a-z0-9-]{0,212}[a-z0-9])?$/.test(name);

/** Where a file of another index lies, and how it is checked. */
interface FileFacts {
  readonly url: string;
  readonly checksums: readonly UpstreamChecksum[];
  readonly metadata?: readonly UpstreamChecksum[];
}

type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const lengths = { sha512: 128, sha256: 64, sha1: 40 } as const;

function checksumsOf(hashes: unknown): readonly UpstreamChecksum[] {
  if (!isRecord(hashes)) return [];
  return Object.entries(lengths).flatMap(([algorithm, length]) => {
    const hex = hashes[algorithm];
    const isHex = typeof hex === 'string' && hex.length === length && /^[0-9a-f]+$/i.test(hex);
    return isHex ? [{ algorithm: algorithm as keyof typeof lengths, hex: hex.toLowerCase() }] : [];
  });
}

/** Projects of another index, where there is none of the name here (PKG-20). */
export class Mirror {
  private readonly simple: string;

  constructor(private readonly upstream: Upstream) {
    this.simple = upstream.address.endsWith('/simple') ? '' : '/simple';
  }

  async page(request: PackageRequest, form: PageForm, mediaType: string): Promise<Reply> {
    const { text, tag } = this.upstream.page(await this.need(request, form), request.baseUrl);
    // its links are for people too
    return fenced(reply.bytes(text, mediaType).tag(tag), `${downloadFence} allow-downloads`);
  }

  async file(request: PackageRequest): Promise<Reply> {
    const { url, checksums } = await this.facts(request);
    return this.upstream.file(request, { path: url, checksums, name: request.params.file! });
  }

  async metadata(request: PackageRequest): Promise<Reply> {
    const { url, metadata } = await this.facts(request);
    if (!metadata) throw NotFound('package file');
    const type = 'text/plain; charset=utf-8';
    return this.upstream.file(request, { path: `${url}.metadata`, checksums: metadata, name: null, type });
  }

  private async facts(request: PackageRequest): Promise<FileFacts> {
    const { facts } = await this.need(request, 'json');
    const { file } = request.params;
    const found = isRecord(facts) && Object.hasOwn(facts, file!) ? (facts[file!] as FileFacts) : undefined;
    if (!found) throw NotFound('package file');
    return found;
  }

  private async need({ actor, params }: PackageRequest, form: PageForm): Promise<UpstreamDocument> {
    const name = normalized(params.name!);
    if (!isName(name)) throw NotFound('package');
    this.upstream.admit(actor, name);
    const path = `${this.simple}/${name}/`;
    const document = await this.upstream.document({
      path,
      // each form is kept by itself
      accept: form === 'json' ? simple : `${simple}; q=1.0`,
      maxBytes: maxPage,
      read: (answer) => rewrite(answer, name, `${this.upstream.address}${path}`, form),
    });
    if (!document) throw NotFound('package');
    return document;
  }
}

/** A page of another index, with files below here; files that nothing checks are left out. */
function rewrite({ body }: UpstreamAnswer, name: string, address: string, form: PageForm): UpstreamContent {
  const page = JSON.parse(body.toString('utf8')) as unknown;
  if (!isRecord(page) || normalized(String(page.name)) !== name || !Array.isArray(page.files))
    throw new Error('it is no page of the project');
  const facts: Record<string, FileFacts> = Object.create(null) as Record<string, FileFacts>;
  const files = (page.files as unknown[]).flatMap((file) => {
    if (!isRecord(file) || typeof file.filename !== 'string' || typeof file.url !== 'string') return [];
    const { filename } = file;
    const checksums = checksumsOf(file.hashes);
    if (checksums.length === 0 || !URL.canParse(file.url, address) || !/^[\w.!+-]{1,255}$/.test(filename)) return [];
    const named = file['core-metadata'] ?? file['dist-info-metadata'];
    const metadata = checksumsOf(named);
    facts[filename] = { url: new URL(file.url, address).href, checksums, ...(metadata.length > 0 && { metadata }) };
    return [
      {
        filename,
        url: `${upstreamBase}/files/${name}/-/${encodeURIComponent(filename)}`,
        hashes: Object.fromEntries(checksums.map(({ algorithm, hex }) => [algorithm, hex])),
        ...(typeof file.size === 'number' && { size: file.size }),
        ...(typeof file['upload-time'] === 'string' && { 'upload-time': file['upload-time'] }),
        ...(typeof file['requires-python'] === 'string' && { 'requires-python': file['requires-python'] }),
        ...(metadata.length > 0 && { 'core-metadata': named }),
        yanked: typeof file.yanked === 'string' ? file.yanked : file.yanked === true,
      },
    ];
  });
  if (form === 'html') {
    const lines = files.map((file) => {
      const { hashes, yanked } = file;
      const sum = hashes.sha256 ? `#sha256=${hashes.sha256}` : '';
      return linkOf({
        name: file.filename,
        url: `${file.url}${sum}`,
        requiresPython: file['requires-python'],
        metadata: facts[file.filename]!.metadata?.find(({ algorithm }) => algorithm === 'sha256')?.hex,
        yanked: yanked === true ? '' : yanked === false ? undefined : yanked,
      });
    });
    return { body: html(`Links for ${name}`, lines), facts };
  }
  const versions = Array.isArray(page.versions) ? { versions: page.versions as unknown[] } : {};
  return { body: JSON.stringify({ meta: { 'api-version': '1.1' }, name, ...versions, files }), facts };
}
