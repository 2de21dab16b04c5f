import { NotFound, reply, type Reply } from '@mortise/plugin-sdk';
import {
  withDownloadFence,
  isWebPage,
  parseSemver,
  type PackageRequest,
  type ProxySource,
  type ProxyResponse,
  type ProxyContent,
  type ProxyDocument,
} from '@mortise/packages/api';
import { checkName, decodeName, isGoBuild } from './module-path.js';

const maxList = 8 * 1024 * 1024;
const maxGoMod = 16 * 1024 * 1024;
/** The first entry of an archive: one without any is no module. */
const zipStart = Buffer.from('PK\x03\x04', 'latin1');

/** A version that never changes, unlike the name of a branch. */
function isVersion(text: string): boolean {
  const parsed = text.startsWith('v') ? parseSemver(text.slice(1)) : undefined;
  return parsed !== undefined && isGoBuild(parsed.build);
}

const asText = (content: ProxyDocument): Reply =>
  withDownloadFence(reply.bytes(content.body, 'text/plain; charset=utf-8').tag(content.tag));
const asJson = (content: ProxyDocument): Reply =>
  withDownloadFence(reply.bytes(content.body, 'application/json').tag(content.tag));

/** Modules of another proxy, where there is none of the path here (PKG-20). */
export class Mirror {
  constructor(private readonly source: ProxySource) {}

  async list(request: PackageRequest): Promise<Reply> {
    return asText(await this.need(request, '@v/list', { maxBytes: maxList, read: readText }));
  }

  async latest(request: PackageRequest): Promise<Reply> {
    return asJson(await this.need(request, '@latest', { read: (answer) => readInfo(answer) }));
  }

  /** Of branches and commits too. */
  async info(request: PackageRequest): Promise<Reply> {
    const version = versionOf(request);
    const isFinal = isVersion(version.plain);
    const read = (answer: ProxyResponse) => readInfo(answer, isFinal ? version.plain : undefined);
    return asJson(await this.need(request, `@v/${version.path}.info`, { isFinal, read }));
  }

  async goMod(request: PackageRequest): Promise<Reply> {
    const file = `@v/${finalOf(request)}.mod`;
    return asText(await this.need(request, file, { isFinal: true, maxBytes: maxGoMod, read: readGoMod }));
  }

  zip(request: PackageRequest): Promise<Reply> {
    const { path, name } = this.pathOf(request);
    this.source.admit(request.actor, name);
    const version = finalOf(request);
    return this.source.file(request, {
      path: `${path}/@v/${version}.zip`,
      checksums: [],
      prefix: zipStart,
      name: `${request.params.version!}.zip`,
      type: 'application/zip',
    });
  }

  private pathOf({ params }: PackageRequest): { readonly path: string; readonly name: string } {
    const encoded = params.module!;
    const name = decodeName(encoded);
    if (name === undefined) throw NotFound('package');
    try {
      checkName(name);
    } catch {
      throw NotFound('package');
    }
    return { path: `/${encoded.split('/').map(encodeURIComponent).join('/')}`, name };
  }

  private async need(
    request: PackageRequest,
    file: string,
    more: Omit<Parameters<ProxySource['document']>[0], 'actor' | 'path'>,
  ): Promise<ProxyDocument> {
    const { path, name } = this.pathOf(request);
    this.source.admit(request.actor, name);
    const document = await this.source.document({ actor: request.actor, path: `${path}/${file}`, ...more });
    if (!document) throw NotFound('package');
    return document;
  }
}

function versionOf({ params }: PackageRequest): { readonly path: string; readonly plain: string } {
  const plain = decodeName(params.version!);
  if (plain === undefined || !/^[\w.+~/-]{1,200}$/.test(plain) || plain.includes('..'))
    throw NotFound('package version');
  return { path: encodeURIComponent(params.version!), plain };
}

function finalOf(request: PackageRequest): string {
  const { path, plain } = versionOf(request);
  if (!isVersion(plain)) throw NotFound('package version');
  return path;
}

/** Nothing checks what a proxy gives but the client, so that at least it must look like it. */
function readText({ body, headers }: ProxyResponse): ProxyContent {
  if (isWebPage(headers)) throw new Error('it is a page for people');
  return { body };
}

function readGoMod(answer: ProxyResponse): ProxyContent {
  if (!/^[ \t]*module[\s("`]/m.test(answer.body.toString('utf8'))) throw new Error('it names no module');
  return readText(answer);
}

/** What a branch stands for may be any version; that of a version is itself. */
function readInfo(answer: ProxyResponse, wanted?: string): ProxyContent {
  const { Version: version } = JSON.parse(answer.body.toString('utf8')) as { readonly Version?: unknown };
  if (typeof version !== 'string') throw new Error('it names no version');
  if (wanted !== undefined && version !== wanted && version !== `${wanted}+incompatible`)
    throw new Error('it is of another version');
  return readText(answer);
}
