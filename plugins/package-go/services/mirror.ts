import { NotFound, reply, type Reply } from '@mortise/plugin-sdk';
import { parseSemver, type PackageRequest, type Upstream, type UpstreamDocument } from '@mortise/packages/api';
import { checkName, decodeName } from './names.js';

const maxList = 8 * 1024 * 1024;
const maxGoMod = 16 * 1024 * 1024;

/** A version that never changes, unlike the name of a branch. */
function isVersion(text: string): boolean {
  const parsed = text.startsWith('v') ? parseSemver(text.slice(1)) : undefined;
  return parsed !== undefined && (parsed.build === '' || parsed.build === 'incompatible');
}

const asText = (content: UpstreamDocument): Reply =>
  reply.bytes(content.body, 'text/plain; charset=utf-8').tag(content.tag);
const asJson = (content: UpstreamDocument): Reply => reply.bytes(content.body, 'application/json').tag(content.tag);

/** Modules of another proxy, where there is none of the path here (PKG-20). */
export class Mirror {
  constructor(private readonly upstream: Upstream) {}

  async list(request: PackageRequest): Promise<Reply> {
    return asText(await this.need(request, '@v/list', { maxBytes: maxList }));
  }

  async latest(request: PackageRequest): Promise<Reply> {
    return asJson(await this.need(request, '@latest', { read: readInfo }));
  }

  /** Of branches and commits too. */
  async info(request: PackageRequest): Promise<Reply> {
    const version = versionOf(request);
    const isFinal = isVersion(version.plain);
    return asJson(await this.need(request, `@v/${version.path}.info`, { isFinal, read: readInfo }));
  }

  async goMod(request: PackageRequest): Promise<Reply> {
    return asText(await this.need(request, `@v/${finalOf(request)}.mod`, { isFinal: true, maxBytes: maxGoMod }));
  }

  zip(request: PackageRequest): Promise<Reply> {
    const { path, name } = this.pathOf(request);
    this.upstream.admit(request.actor, name);
    const version = finalOf(request);
    return this.upstream.file(request, {
      path: `${path}/@v/${version}.zip`,
      checksums: [],
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
    more: Omit<Parameters<Upstream['document']>[0], 'path'>,
  ): Promise<UpstreamDocument> {
    const { path, name } = this.pathOf(request);
    this.upstream.admit(request.actor, name);
    const document = await this.upstream.document({ path: `${path}/${file}`, ...more });
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

function readInfo({ body }: { readonly body: Buffer }) {
  const { Version: version } = JSON.parse(body.toString('utf8')) as { readonly Version?: unknown };
  if (typeof version !== 'string') throw new Error('it names no version');
  return { body };
}
