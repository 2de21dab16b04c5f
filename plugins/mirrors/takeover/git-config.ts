/** The part of git's configuration that mirrors need: https://git-scm.com/docs/git-config#_syntax */
const header = /^\s*\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]\s*$/i;
const entry = /^\s*url\s*=\s*(.*?)\s*$/i;

const unquoted = (text: string): string => text.replace(/^"(.*)"$/s, '$1').replace(/\\(["\\])/g, '$1');

/** Address of a remote; undefined: there is none. */
export function remoteUrlIn(config: string, name: string): string | undefined {
  let isInside = false;
  for (const line of config.split('\n')) {
    const [, remote] = header.exec(line) ?? [];
    if (remote !== undefined) isInside = unquoted(remote) === name;
    else if (/^\s*\[/.test(line)) isInside = false;
    const [, url] = (isInside && entry.exec(line)) || [];
    if (url) return unquoted(url);
  }
  return undefined;
}
