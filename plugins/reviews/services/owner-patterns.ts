/**
 * Patterns of CODEOWNERS come in two styles: regular expressions, which are the style of this format, and the globs of
 * GitHub and GitLab. This file tells them apart.
 */

/** What only expressions have: escapes, groups, alternatives, anchors, `+`, counts, and repetitions of any character or class. */
const onlyInExpressions = /[\\()|+^$]|\{\d|\.[*?]|\][*?]/;
/** A slash before a star is a folder before a glob; as an expression it would mean any number of slashes. */
const folderGlob = /\/\*/;
/** Paths neither begin nor end with a slash: as an expression it would fit nothing. */
const outerSlash = /^\^?\\?\/(?![?*])|\/\$?$/;
/** Alternatives of a shell, such as `{js,ts}`, which neither style has. */
const wordList = /\{(?!\d)/;
/** The same of one character: `src/?.ts`; but an expression may have a slash that may be absent. */
const folderCharacter = /\/\?/;
/** A repeated letter: `foo*` is "fo" with any number of "o" in one style, and what begins with "foo" in the other. */
const repeatedLetter = /[^./*?\]][*?]/;
/** A heading of GitLab, such as `[Docs]` or `^[Docs][2]`; an expression of that form would fit names of one letter alone. */
const heading = /^\^?\[[^\]]*\](?:\[\d+\])?$/;
/** What globs are made of here; classes and alternatives are not, as on GitHub. */
const notInGlobs = /[\\()|+^$[\]{}]/;

/**
 * The expression that whole paths must match; undefined where the pattern could be of either style, or is of none.
 * `compiles`: the pattern as it stands is an expression.
 */
export function expressionOf(pattern: string, compiles: boolean): string | undefined {
  if (heading.test(pattern)) return undefined;
  if (!compiles) return globExpression(pattern);
  const isExpression = onlyInExpressions.test(pattern);
  if (outerSlash.test(pattern) || folderGlob.test(pattern)) return isExpression ? undefined : globExpression(pattern);
  if (!isExpression && folderCharacter.test(pattern)) return globExpression(pattern);
  if (wordList.test(pattern) || (!isExpression && repeatedLetter.test(pattern))) return undefined;
  return pattern;
}

/** By the rules of `.gitignore`, but that `docs/*` does not reach into folders of `docs`. */
function globExpression(glob: string): string | undefined {
  if (notInGlobs.test(glob)) return undefined;
  const path = glob.replace(/^\//, '').replace(/\/$/, '');
  if (!path || path.split('/').includes('')) return undefined;
  const isAnchored = glob.startsWith('/') || path.includes('/');
  const body = path.replace(/\*\*\/|\/\*\*$|\*\*|\*|\?|\./g, (token) => tokens[token]!);
  const rest = glob.endsWith('/') ? '/.*' : /(?:^|\/)\*$|\*\*$/.test(path) ? '' : '(?:/.*)?';
  return `${isAnchored ? '' : '(?:.*/)?'}${body}${rest}`;
}

const tokens: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '/**': '/.*',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '.': '\\.',
};
