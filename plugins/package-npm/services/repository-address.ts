import { isRecord, type Json } from './json.js';

/** What a manifest says of its repository: an address, or a record with one. */
export function repositoryText({ repository }: Json): string {
  if (typeof repository === 'string') return repository;
  return isRecord(repository) && typeof repository.url === 'string' ? repository.url : '';
}

/** `git+https`, `git+ssh`, `ssh`, `git` and scp-like addresses as one; undefined for what is none. */
export function repositoryUrl(text: string): URL | undefined {
  const scp = /^(?:[\w.-]+@)([\w.-]+):(?!\/)(.+)$/.exec(text);
  const address = scp ? `ssh://${scp[1]}/${scp[2]}` : text.replace(/^git\+/, '');
  return URL.canParse(address) ? new URL(address) : undefined;
}

const hosts: Readonly<Record<string, string>> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
};

/** Web page of the repository; undefined where it is unknown. */
export function repositoryPage(manifest: Json): string | undefined {
  const text = repositoryText(manifest).trim();
  // the client's own way to write it short: `owner/name`, or with the host before it
  const [, host = 'github', path] = /^(?:(github|gitlab|bitbucket):)?([\w.-]+\/[\w.-]+)$/.exec(text) ?? [];
  if (path) return `https://${hosts[host]!}/${path}`;
  const url = repositoryUrl(text);
  if (!url || !url.hostname || !/^(?:https?|ssh|git):$/.test(url.protocol)) return undefined;
  const isWeb = url.protocol.startsWith('http');
  return `${isWeb ? url.origin : `https://${url.hostname}`}${url.pathname.replace(/(?:\.git)?\/*$/, '')}`;
}
