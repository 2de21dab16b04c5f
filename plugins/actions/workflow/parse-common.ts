import { declaredPermissions, permissionKeys } from './permissions.js';
import { child, childValue, isNull, type Reader } from './reader.js';
import type { DeclaredPermissions, RawConcurrency } from './types.js';
import { plainValue, type Entry, type Located } from './yaml.js';

export function readPermissions(reader: Reader, node: Located | undefined): DeclaredPermissions | undefined {
  if (!node) return undefined;
  const warn = (at: number, message: string) => reader.problem(at, message, 'warning');
  if (node.kind === 'map') {
    for (const { key, at, value } of node.entries) {
      if (!permissionKeys.has(key)) warn(at, `there is no permission "${key.slice(0, 100)}"`);
      if (value.kind !== 'scalar' || !/^(?:read|write|none)$/.test(String(value.value)))
        warn(value.at, `permission "${key.slice(0, 100)}" is read, write or none`);
    }
  } else if (node.kind === 'list') warn(node.at, '"permissions" must be read-all, write-all or a mapping');
  else if (node.value !== 'read-all' && node.value !== 'write-all' && node.value !== null)
    warn(node.at, '"permissions" is read-all, write-all or a mapping: this gives none');
  return declaredPermissions(plainValue(node));
}

export function readConcurrency(reader: Reader, node: Located | undefined): RawConcurrency | undefined {
  if (!node || isNull(node)) return undefined;
  reader.expressions(node);
  if (node.kind !== 'map') {
    const group = reader.text(node, '"concurrency"');
    return group === undefined ? undefined : { group, cancelInProgress: false };
  }
  const entries: readonly Entry[] = node.entries;
  reader.known(entries, new Set(['group', 'cancel-in-progress']), '"concurrency"');
  const group = reader.text(child(entries, 'group'), '"group"');
  if (group === undefined) reader.problem(node.at, '"concurrency" has no group');
  return { group: group ?? '', cancelInProgress: childValue(entries, 'cancel-in-progress') ?? false };
}
