import { Invalid, type Text } from '@mortise/plugin-sdk';
import { isRefName, ambiguousNameProblem } from '@mortise/git/api';
import { t } from '../texts/index.js';

const reserved = new Set(['.', '..', '-']);

const refused = (text: Text) => Invalid(text, { inputs: { name: text } });

/** Letters, digits, `-`, `_` and `.`, at most 100; nothing that is a path or ends like a served suffix. */
export function checkRepositoryName(name: string): void {
  if (!name) throw refused(t.later('error.nameRequired'));
  if (name.length > 100) throw refused(t.later('error.nameLong', { max: 100 }));
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) throw refused(t.later('error.nameSigns'));
  if (reserved.has(name) || name.includes('..')) throw refused(t.later('error.nameReserved', { name }));
  if (/\.(git|wiki|rss|atom|lock)$/i.test(name))
    throw refused(t.later('error.nameEnding', { ending: name.slice(name.lastIndexOf('.')) }));
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
  if (!fits || !isRefName(name)) {
    const text = t.later('error.branch', { name: name.slice(0, 100) });
    throw Invalid(text, { inputs: { default_branch: text } });
  }
  const unclear = ambiguousNameProblem(`refs/heads/${name}`);
  if (unclear) throw Invalid(unclear, { inputs: { default_branch: unclear } });
}
