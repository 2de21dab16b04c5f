import { Invalid } from '@mortise/plugin-sdk';
import { isRefName, unclearName } from '@mortise/git/api';

const reserved = new Set(['.', '..', '-']);

/** Letters, digits, `-`, `_` and `.`, at most 100; nothing that is a path or ends like a served suffix. */
export function checkRepositoryName(name: string): void {
  if (!name) throw Invalid('the name of a repository must not be empty');
  if (name.length > 100) throw Invalid('the name of a repository has at most 100 characters');
  if (!/^[A-Za-z0-9_.-]+$/.test(name))
    throw Invalid('the name of a repository has only letters, digits, "-", "_" and "."');
  if (reserved.has(name) || name.includes('..')) throw Invalid(`the name ${name} is reserved`);
  if (/\.(git|wiki|rss|atom|lock)$/i.test(name))
    throw Invalid(`the name of a repository must not end in ${name.slice(name.lastIndexOf('.'))}`);
}

export function isRepositoryName(name: string): boolean {
  try {
    checkRepositoryName(name);
    return true;
  } catch {
    return false;
  }
}

/** What git takes as a branch, and file systems as the name of its file. */
export function checkBranchName(name: string): void {
  const fits = name.length <= 255 && name.split('/').every((part) => Buffer.byteLength(part) <= 240);
  if (!fits || !isRefName(name)) throw Invalid(`${name.slice(0, 100)} is no name for a branch`);
  const unclear = unclearName(`refs/heads/${name}`);
  if (unclear) throw Invalid(unclear);
}
