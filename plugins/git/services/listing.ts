import { Problem } from '@mortise/plugin-sdk';
import { isOid, type PathEntry, type TreeEntry } from '../api.js';

/** What goes to git as a revision must be a whole object id: never an option, never an expression of a user. */
export function whole(...oids: readonly (string | undefined)[]): void {
  for (const oid of oids) if (oid !== undefined && !isOid(oid)) throw new Problem('not_found', 'commit does not exist');
}

/** `mode SP type SP oid SP* size TAB path` of `ls-tree -r -t -l -z`. */
export function parseListing(output: string): PathEntry[] {
  return output
    .split('\0')
    .filter(Boolean)
    .map((row) => {
      const tab = row.indexOf('\t');
      const [mode = '', type = 'blob', oid = '', size = '-'] = row.slice(0, tab).split(/ +/);
      const path = row.slice(tab + 1);
      return {
        mode,
        type: type as TreeEntry['type'],
        oid,
        path,
        name: path.slice(path.lastIndexOf('/') + 1),
        ...(size === '-' ? {} : { size: Number(size) }),
      };
    });
}
