import type { Site } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';

/** `path → address` of a `.gitmodules` file (git-config syntax, as far as git writes it there). */
export function readModules(text: string): Map<string, string> {
  const urlByPath = new Map<string, string>();
  for (const section of text.split(/^[ \t]*\[submodule/m).slice(1)) {
    const value = (key: string) =>
      new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*(.+?)[ \\t]*\\r?$`, 'm').exec(section)?.[1]?.replace(/^"(.*)"$/, '$1');
    const path = value('path');
    const url = value('url');
    if (path && url) urlByPath.set(path, url);
  }
  return urlByPath;
}

export async function submoduleUrls(git: GitRepository, commit: string): Promise<Map<string, string>> {
  const file = await git.entry(commit, '.gitmodules');
  if (file?.type !== 'blob' || file.mode === '120000') return new Map();
  return readModules((await git.blob(file.oid, 1 << 20)).toString('utf8'));
}

/** Where the superproject is served, for addresses that lead to this site. */
export interface SubmoduleContext {
  /** `owner/name` of the repository that has the submodule. */
  readonly repository: string;
  readonly site: Pick<Site, 'rootUrl' | 'path'>;
  /** Host of this site's addresses over SSH; undefined: it serves none. */
  readonly sshHost: string | undefined;
}

const scpAddress = /^(?:[\w.-]+@)?([\w.-]+|\[[\da-f:]+\]):(?!\/\/)\/?([\w./~-]+)$/i;

/** The host of an address to clone from over SSH. */
export const sshHostOf = (address: string): string | undefined =>
  scpAddress.exec(address)?.[1] ?? (URL.canParse(address) ? new URL(address).hostname : undefined);

/**
 * A page that a submodule's address leads to; undefined for what is no web address, so that nothing else is linked. Relative
 * addresses count from the address of the superproject (git-submodule(1), `add`), those of this site's SSH server lead
 * to its pages.
 */
export function webAddress(url: string, context: SubmoduleContext): string | undefined {
  if (/^\.\.?\//.test(url)) return repositoryPage(resolveRelative(url, context.repository), context);
  const scp = scpAddress.exec(url);
  const address = scp ? `ssh://${scp[1]}/${scp[2]}` : url;
  try {
    const parsed = new URL(address);
    if (parsed.protocol === 'ssh:') {
      const path = parsed.pathname.slice(1);
      if (isOwnHost(parsed.hostname, context)) return repositoryPage(path, context);
      return withoutEnding(new URL(`https://${parsed.hostname}/${path}`).href);
    }
    if (!/^https?:$/.test(parsed.protocol)) return undefined;
    parsed.username = parsed.password = '';
    return withoutEnding(parsed.href);
  } catch {
    return undefined;
  }
}

const withoutEnding = (address: string) => address.replace(/\/+$/, '').replace(/\.git$/, '');

const isOwnHost = (host: string, { site, sshHost }: SubmoduleContext) =>
  [new URL(site.rootUrl).hostname, sshHost].some((own) => own?.toLowerCase() === host.toLowerCase());

/** The path that a relative address names; undefined where it leads above the site. */
function resolveRelative(url: string, repository: string): string | undefined {
  const segments = repository.split('/');
  for (const segment of url.split('/')) {
    if (segment === '.' || segment === '') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.join('/');
}

/** The page of `owner/name`; undefined for paths that name no repository. */
function repositoryPage(path: string | undefined, { site }: SubmoduleContext): string | undefined {
  const names = path === undefined ? [] : withoutEnding(path).split('/');
  if (names.length !== 2 || names.some((name) => !/^[\w.-]+$/.test(name) || /^\.+$/.test(name))) return undefined;
  return site.path(`/${names.join('/')}`);
}

/** Tells the page of each submodule of a commit. */
export async function submoduleAddress(
  git: GitRepository,
  commit: string,
  context: SubmoduleContext,
): Promise<(path: string) => string | undefined> {
  const urls = await submoduleUrls(git, commit).catch(() => new Map<string, string>());
  return (path) => {
    const url = urls.get(path);
    return url === undefined ? undefined : webAddress(url, context);
  };
}
