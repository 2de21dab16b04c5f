import {
  reply,
  type Reply,
  type Site,
  type ResourceRequest,
  type ResourceResolver,
  type UnknownAddress,
} from '@mortise/plugin-sdk';
import { codeResource, type Repositories, type RepositoryContext } from '../api.js';

const escape = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** `ssh://git@host/path` for `git@host:path`: the go command takes addresses with a scheme alone. */
const uriOf = (address: string) => address.replace(/^(?!ssh:)([^@]+@\[[^\]]+\]|[^:]+):/, 'ssh://$1/');

/**
 * The Go tool reads two meta tags from any address below a module (go help importpath). They are given for every name,
 * so that they tell nothing about which repositories exist.
 */
export class CodeResolver implements ResourceResolver<RepositoryContext> {
  readonly key = codeResource.id;

  constructor(
    private readonly deps: {
      readonly site: Site;
      readonly repositories: Pick<Repositories, 'byPath'>;
      /** Of `owner/name`, to fetch from over SSH; empty or undefined: over HTTP. */
      readonly sshAddress: (path: string) => string | undefined;
      /** Resolves everybody else. */
      readonly resolver: ResourceResolver<RepositoryContext>;
    },
  ) {}

  async resolve(request: ResourceRequest): Promise<RepositoryContext | Reply> {
    if (/[?&]go-get=1(&|$)/.test(request.url)) return this.#tags(request.params);
    return this.deps.resolver.resolve(request);
  }

  /** Packages below the module's root are asked for at addresses that have no page. */
  readonly below: UnknownAddress = {
    key: this.key,
    answer: async ({ path, query }) => {
      const [, owner, repo] = /^\/([\w.-]+)\/([\w.-]+)\/./.exec(path) ?? [];
      return query['go-get'] === '1' && owner && repo ? this.#tags({ owner, repo }) : undefined;
    },
  };

  async #tags({ owner = '', repo = '' }: ResourceRequest['params']): Promise<Reply> {
    const { site, repositories, sshAddress } = this.deps;
    const repository = await repositories.byPath(owner, repo);
    const isPublic = repository && !repository.isPrivate && repository.ownerVisibility === 'public';
    const branch = isPublic ? repository.defaultBranch : 'main';
    const address = site.url(`/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`);
    const overSsh = uriOf(sshAddress(`${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`) ?? '');
    const module = address.replace(/^https?:\/\//, '');
    const source = `${address}/src/branch/${branch.split('/').map(encodeURIComponent).join('/')}{/dir}`;
    const meta = (name: string, content: string) => `<meta name="${name}" content="${escape(content)}">`;
    return reply.html(
      `<!doctype html><html><head>${meta('go-import', `${module} git ${overSsh || `${address}.git`}`)}${meta('go-source', `${module} _ ${source} ${source}/{file}#L{line}`)}</head><body>go get ${escape(module)}</body></html>`,
    );
  }
}
