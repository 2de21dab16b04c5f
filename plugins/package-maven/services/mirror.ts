import { contentDisposition, NotFound, reply, type Actor, type Reply } from '@mortise/plugin-sdk';
import {
  withDownloadFence,
  isWebPage,
  type PackageRequest,
  type ProxySource,
  type ProxyResponse,
  type ProxyChecksum,
  type ProxyContent,
  type ProxyDocument,
} from '@mortise/packages/api';
import { digest, isSnapshot, metadataFile, type MavenPath, type Sum } from './paths.js';

const maxMetadata = 8 * 1024 * 1024;
const maxSum = 4096;
/** Of a snapshot that nothing checks: it is held in memory. */
const maxUnchecked = 16 * 1024 * 1024;
const lengths: Readonly<Record<Sum, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 };
/** Checksums that are looked for, the one that every repository has first. */
const wanted = ['sha1', 'md5'] as const;

/** Artifacts of another repository, where there is none of the name here (PKG-20). */
export class Mirror {
  constructor(private readonly source: ProxySource) {}

  async get(request: PackageRequest, path: MavenPath, type: string): Promise<Reply> {
    const { group, artifact, version, file, sum } = path;
    this.source.admit(request.actor, [...group.split('.'), artifact].join('/'));
    const segments = [...group.split('.'), artifact, ...(version === undefined ? [] : [version]), file];
    const address = `/${segments.map(encodeURIComponent).join('/')}`;
    if (file === metadataFile) {
      const { body, tag } = need(
        await this.source.document({
          actor: request.actor,
          path: address,
          maxBytes: maxMetadata,
          read: readMetadata,
        }),
      );
      return withDownloadFence(sum ? reply.text(digest(sum, body)) : reply.bytes(body, 'text/xml').tag(tag));
    }
    if (sum) {
      const hex = await this.sum(request.actor, address, sum, version!);
      if (hex === undefined) throw NotFound('package file');
      return withDownloadFence(reply.text(hex));
    }
    const checksums: ProxyChecksum[] = [];
    for (const algorithm of wanted) {
      const hex = await this.sum(request.actor, address, algorithm, version!);
      if (hex === undefined) continue;
      checksums.push({ algorithm, hex });
      break;
    }
    if (checksums.length === 0 && isSnapshot(version!)) return this.unchecked(request.actor, address, file, type);
    return this.source.file(request, { path: address, checksums, name: file, type });
  }

  /** A file that may change and has no checksum: it is asked for again, as metadata is. */
  private async unchecked(actor: Actor, address: string, file: string, type: string): Promise<Reply> {
    const document = await this.source.document({
      actor,
      path: address,
      maxBytes: maxUnchecked,
      read: (answer) => ({ ...readFile(answer), type }),
    });
    const { body, tag } = need(document);
    return withDownloadFence(reply.bytes(body, type).tag(tag)).header(
      'content-disposition',
      contentDisposition('attachment', file),
    );
  }

  /** Of a file, as the repository names it. */
  private async sum(actor: Actor, address: string, sum: Sum, version: string): Promise<string | undefined> {
    const document = await this.source.document({
      actor,
      path: `${address}.${sum}`,
      maxBytes: maxSum,
      isFinal: !isSnapshot(version),
      read: ({ body }) => {
        // some tools write the name of the file beside it
        const hex = body
          .toString('latin1')
          .toLowerCase()
          .split(/[^0-9a-z]+/)
          .find((word) => word.length === lengths[sum] && /^[0-9a-f]+$/.test(word));
        if (!hex) throw new Error('it is no checksum');
        return { body: hex, properties: hex };
      },
    });
    return document?.properties as string | undefined;
  }
}

function need(document: ProxyDocument | undefined): ProxyDocument {
  if (!document) throw NotFound('package');
  return document;
}

function readFile({ body, headers }: ProxyResponse): ProxyContent {
  if (isWebPage(headers)) throw new Error('it is a page for people');
  return { body };
}

function readMetadata(answer: ProxyResponse): ProxyContent {
  if (!/<metadata[\s>]/.test(answer.body.toString('utf8', 0, 4096))) throw new Error('it is no metadata');
  return { ...readFile(answer), type: 'text/xml' };
}
