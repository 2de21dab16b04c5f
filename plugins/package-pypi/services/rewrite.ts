import type { ProxyChecksum } from '@mortise/packages/api';
import { html, linkOf, type PageForm } from './projects.js';
import { normalized } from './upload.js';

/** Where a file of another index lies, and how it is checked. */
export interface FileProperties {
  readonly url: string;
  readonly checksums: readonly ProxyChecksum[];
  readonly metadata?: readonly ProxyChecksum[];
}

/** What is asked of it, also of a thread. */
export interface RewriteTask {
  readonly body: Uint8Array;
  /** As PEP 503 writes it. */
  readonly name: string;
  /** Where the page lies. */
  readonly address: string;
  readonly form: PageForm;
  /** Where files lie here. */
  readonly base: string;
}

export interface RewrittenPage {
  readonly body: Uint8Array;
  readonly properties: Readonly<Record<string, FileProperties>>;
}

type Json = Readonly<Record<string, unknown>>;
export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const lengths = { sha512: 128, sha256: 64, sha1: 40 } as const;

function checksumsOf(hashes: unknown): readonly ProxyChecksum[] {
  if (!isRecord(hashes)) return [];
  return Object.entries(lengths).flatMap(([algorithm, length]) => {
    const hex = hashes[algorithm];
    const isHex = typeof hex === 'string' && hex.length === length && /^[0-9a-f]+$/i.test(hex);
    return isHex ? [{ algorithm: algorithm as keyof typeof lengths, hex: hex.toLowerCase() }] : [];
  });
}

/** A page of another index, with files below here; files that nothing checks are left out. */
export function rewritePage({ body, name, address, form, base }: RewriteTask): RewrittenPage {
  const page = JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
  if (!isRecord(page) || normalized(String(page.name)) !== name || !Array.isArray(page.files))
    throw new Error('it is no page of the project');
  const facts: Record<string, FileProperties> = Object.create(null) as Record<string, FileProperties>;
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
        url: `${base}/files/${name}/-/${encodeURIComponent(filename)}`,
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
    return { body: Buffer.from(html(`Links for ${name}`, lines)), properties: facts };
  }
  const versions = Array.isArray(page.versions) ? { versions: page.versions as unknown[] } : {};
  const made = { meta: { 'api-version': '1.1' }, name, ...versions, files };
  return { body: Buffer.from(JSON.stringify(made)), properties: facts };
}
