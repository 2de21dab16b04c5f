import { Invalid } from '@mortise/plugin-sdk';

/**
 * A glob over reference names: `*` and `?` stay within one part, `**` crosses slashes, `[ab]`, `{a,b}`, `\` for a
 * plain character. Undefined when it is broken.
 */
function compile(glob: string): RegExp | undefined {
  let source = '';
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at]!;
    if (character === '*') {
      const double = glob[at + 1] === '*';
      source += double ? '.*' : '[^/]*';
      if (double) at++;
    } else if (character === '?') source += '[^/]';
    else if (character === '{') {
      depth++;
      source += '(?:';
    } else if (character === '}' && depth > 0) {
      depth--;
      source += ')';
    } else if (character === ',' && depth > 0) source += '|';
    else if (character === '[') {
      const end = glob.indexOf(']', at + 2);
      if (end < 0) return undefined;
      const inner = glob.slice(at + 1, end);
      source += `[${inner[0] === '!' || inner[0] === '^' ? '^' : ''}${inner.replace(/^[!^]/, '').replace(/[\\\]^[]/g, '\\$&')}]`;
      at = end;
    } else if (character === '\\') {
      if (at + 1 >= glob.length) return undefined;
      source += quote(glob[++at]!);
    } else source += quote(character);
  }
  if (depth > 0) return undefined;
  try {
    return new RegExp(`^(?:${source})$`, 'su');
  } catch {
    return undefined;
  }
}

const quote = (character: string) => character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

export function checkBranchFilter(filter: string): void {
  if (filter.length > 1000 || !compile(filter)) throw Invalid('the branch filter is no valid glob');
}

/**
 * Compares with the full name of the reference; a branch also matches by its short name; empty, `*` and `**` match
 * everything (HOK-06, HOK-07).
 */
export function matchesBranch(filter: string, ref: string | undefined): boolean {
  if (!ref || filter === '' || filter === '*' || filter === '**') return true;
  const pattern = compile(filter);
  if (!pattern) return false;
  if (pattern.test(ref)) return true;
  return ref.startsWith('refs/heads/') && pattern.test(ref.slice('refs/heads/'.length));
}
