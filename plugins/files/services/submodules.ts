import type { GitRepository } from '@mortise/git/api';

/** `path → address` of a `.gitmodules` file (git-config syntax, as far as git writes it there). */
export function readModules(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const section of text.split(/^[ \t]*\[submodule/m).slice(1)) {
    const value = (key: string) =>
      new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*(.+?)[ \\t]*\\r?$`, 'm').exec(section)?.[1]?.replace(/^"(.*)"$/, '$1');
    const path = value('path');
    const url = value('url');
    if (path && url) found.set(path, url);
  }
  return found;
}

export async function submoduleUrls(git: GitRepository, commit: string): Promise<Map<string, string>> {
  const file = await git.entry(commit, '.gitmodules');
  if (file?.type !== 'blob' || file.mode === '120000') return new Map();
  return readModules((await git.blob(file.oid, 1 << 20)).toString('utf8'));
}

/** A page that a submodule's address leads to; undefined for what is no web address, so that nothing else is linked. */
export function webAddress(url: string): string | undefined {
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)([\w./~-]+)$/.exec(url);
  const address = scp
    ? `https://${scp[1]}/${scp[2]}`
    : url.replace(/^ssh:\/\/(?:[^@/]+@)?([^/:]+)(?::\d+)?\//, 'https://$1/');
  try {
    const parsed = new URL(address);
    if (!/^https?:$/.test(parsed.protocol)) return undefined;
    parsed.username = parsed.password = '';
    return parsed.href.replace(/\.git$/, '');
  } catch {
    return undefined;
  }
}

/** Tells the page of each submodule of a commit. */
export async function submoduleAddress(
  git: GitRepository,
  commit: string,
  needed: boolean,
): Promise<(path: string) => string | undefined> {
  const urls = needed ? await submoduleUrls(git, commit).catch(() => new Map<string, string>()) : undefined;
  return (path) => {
    const url = urls?.get(path);
    return url === undefined ? undefined : webAddress(url);
  };
}
