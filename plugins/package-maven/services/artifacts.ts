import type { Readable } from 'node:stream';
import { BadRequest, Conflict, NotFound, reply, TooLarge, type QueryCache, type Reply } from '@mortise/plugin-sdk';
import {
  escapeXml,
  type Package,
  type PackageFile,
  type PackageRequest,
  type PackageStore,
} from '@mortise/packages/api';
import type { Mirror } from './mirror.js';
import { digest, isSnapshot, metadataFile, readPath, type MavenPath } from './paths.js';
import { readPom } from './pom.js';

export const type = 'maven';

const maxPom = 1024 * 1024;
const maxSum = 1024;
const types: Readonly<Record<string, string>> = { jar: 'application/java-archive', pom: 'text/xml' };
const typeOf = (file: string): string => types[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream';

export class Artifacts {
  constructor(
    private readonly store: PackageStore,
    private readonly metadata: QueryCache<Buffer>,
    /** What is not here, from another repository. */
    private readonly mirror: Mirror | undefined,
  ) {}

  async get(request: PackageRequest): Promise<Reply> {
    const path = readPath(request.params.path!);
    const package_ = await this.store.find(request.owner.id, type, path.name);
    // a name that is here is never asked for elsewhere, whichever version is wanted
    if (!package_ && this.mirror) return this.mirror.get(request, path, typeOf(path.file));
    if (!package_) throw NotFound('package');
    if (path.version === undefined) {
      const content = await this.generated(package_);
      return path.sum
        ? reply.text(digest(path.sum, content))
        : reply.bytes(content, 'text/xml').tag(digest('sha256', content));
    }
    const file = await this.need(package_, path);
    return path.sum ? reply.text(file[path.sum]) : this.store.download(file, request, { type: typeOf(file.name) });
  }

  private async need(package_: Package, path: MavenPath): Promise<PackageFile> {
    const version = await this.store.findVersion(package_.id, path.version!);
    const file = version && (await this.store.findFile(version.id, path.file));
    if (!file) throw NotFound('package file');
    return file;
  }

  async put(request: PackageRequest<Readable>): Promise<Reply> {
    const path = readPath(request.params.path!);
    if (path.sum) return this.compare(request, path);
    // what the client thinks that there is, is made here
    if (path.version === undefined) return reply.empty(200);
    const { owner, actor } = request;
    const isReplaced = path.file === metadataFile && isSnapshot(path.version);
    const before = await this.store.find(owner.id, type, path.name);
    const same = before && (await this.store.findVersion(before.id, path.version));
    if (!isReplaced && same && (await this.store.findFile(same.id, path.file)))
      throw Conflict('package file already exists');
    const blob = await this.store.receive(type, request.body, actor, request.contentLength);
    const isPom = path.file.endsWith('.pom');
    if (isPom && blob.size > maxPom) throw BadRequest('The description of the artifact is too long.');
    const pom = isPom ? readPom(await this.store.random(blob).read(0, blob.size)) : undefined;
    await this.store.publish({
      owner,
      actor,
      type,
      name: path.name,
      version: path.version,
      files: [{ name: path.file, blob, isLead: isPom }],
      onVersion: 'join',
      onFile: isReplaced ? 'replace' : 'conflict',
      ...(pom && { within: ({ version }) => this.store.setMetadata(version.id, { ...pom }) }),
    });
    return reply.empty(201);
  }

  /** Clients send the checksums after the file: they are compared, not stored. */
  private async compare(request: PackageRequest<Readable>, path: MavenPath): Promise<Reply> {
    const { owner, body } = request;
    if (path.version === undefined) {
      body.resume();
      return reply.empty(200);
    }
    const package_ = await this.store.find(owner.id, type, path.name);
    if (!package_) throw NotFound('package');
    const file = await this.need(package_, path);
    let sent = '';
    for await (const chunk of body as AsyncIterable<Buffer>) {
      sent += chunk.toString('latin1');
      if (sent.length > maxSum) throw TooLarge('A checksum is not as long as this.');
    }
    // some tools write the name of the file behind it
    if (sent.trim().split(/\s/)[0]?.toLowerCase() !== file[path.sum!]) throw BadRequest('hash mismatch');
    return reply.empty(200);
  }

  /** The versions of an artifact, in the order of their upload; remembered while nothing was committed. */
  private generated(package_: Package): Promise<Buffer> {
    // in the spelling of its publisher, not of the first reader
    const [group = '', artifact = ''] = package_.name.split(':');
    return this.metadata.load(String(package_.id), async () => {
      const versions = (await this.store.bareVersions(package_.id)).reverse();
      if (versions.length === 0) throw NotFound('package');
      const latest = versions.at(-1)!;
      const release = versions.filter(({ version }) => !isSnapshot(version)).at(-1);
      const at = new Date(latest.createdAt).toISOString().replace(/[-T:]/g, '').slice(0, 14);
      const lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<metadata>',
        `  <groupId>${escapeXml(group)}</groupId>`,
        `  <artifactId>${escapeXml(artifact)}</artifactId>`,
        '  <versioning>',
        `    <latest>${escapeXml(latest.version)}</latest>`,
        ...(release ? [`    <release>${escapeXml(release.version)}</release>`] : []),
        '    <versions>',
        ...versions.map(({ version }) => `      <version>${escapeXml(version)}</version>`),
        '    </versions>',
        `    <lastUpdated>${at}</lastUpdated>`,
        '  </versioning>',
        '</metadata>',
        '',
      ];
      return Buffer.from(lines.join('\n'));
    });
  }
}
