import type { KeywordSettings } from '../settings.js';

/** What a text names: people and other issues. Code names nothing. */
interface Mentions {
  /** In lower case, each once. */
  readonly users: readonly string[];
  readonly issues: readonly IssueReference[];
}

type RefAction = 'none' | 'closes' | 'reopens';

export interface IssueReference {
  /** `owner/name` in lower case; absent: the repository that the text stands in. */
  readonly repository?: string;
  readonly index: number;
  /** What the word in front of it asks for. */
  readonly action: RefAction;
}

/** Longer texts name nothing beyond that. */
const maxText = 100_000;
const maxNamed = 30;

/** How texts of this site name something. */
export interface MentionPatterns {
  /** What names an issue: 1 and 2 the word before it that closes or reopens, 3 the repository, 4 the number. */
  readonly issues: RegExp;
  /** The whole address of one: 1 the repository, 2 the number. */
  readonly addresses: RegExp;
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `rootUrl`: of the site, without a slash at its end. */
export function createMentionPatterns(
  rootUrl: string,
  { CLOSE_KEYWORDS, REOPEN_KEYWORDS }: KeywordSettings,
): MentionPatterns {
  // the longest first, and where there is none a pattern that nothing fits
  const any = (words: string) =>
    words
      .split(',')
      .map((word) => escapeRegExp(word.trim()))
      .filter(Boolean)
      .sort((one, other) => other.length - one.length)
      .join('|') || '(?!)';
  // scripts without spaces need none, and have a colon of their own
  const action = `(?<![\\p{L}\\p{N}_-])(?:(${any(CLOSE_KEYWORDS)})|(${any(REOPEN_KEYWORDS)}))(?:[:：]\\s*|\\s+|(?<=[\\p{Script=Han}\\p{Script=Hangul}]))`;
  return {
    issues: new RegExp(
      `(?:${action})?(?<![\\w./#&-])(?:([\\w.-]{1,100}/[\\w.-]{1,100}))?[#!](\\d{1,9})(?![\\w-])`,
      'giu',
    ),
    addresses: new RegExp(
      `${escapeRegExp(rootUrl)}/([\\w.-]{1,100}/[\\w.-]{1,100})/(?:issues|pulls)/([1-9]\\d{0,8})(?:#[\\w-]*)?(?![\\w/-])`,
      'gi',
    ),
  };
}
/** Where a title quotes another commit, as those of git for reverts do: what it asks for was said by others, of other work. */
const quotedTitlePattern = /^[ \t>*-]*(?:revert|reapply) "(?:.*"|.*)/gim;
const userPattern = /(?<![\w@/.-])@([a-z0-9](?:[\w.-]{0,98}[a-z0-9])?)/gi;

/** The text without what stands in code: fences, indented or not, and spans between backticks. */
function withoutCode(text: string): string {
  const lines: string[] = [];
  let fence = '';
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence) {
      if (mark && mark[0] === fence[0] && mark.length >= fence.length) fence = '';
    } else if (mark) fence = mark;
    else lines.push(line);
  }
  return withoutSpans(lines.join('\n'));
}

/** A span ends at the next run of as many backticks as it began with; each run is looked at once. */
function withoutSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ start: index, length: run.length }));
  const byLength = new Map<number, number[]>();
  // The last first, so that those that were passed are taken off the end.
  for (let at = runs.length - 1; at >= 0; at--) {
    const { length } = runs[at]!;
    const same = byLength.get(length);
    if (same) same.push(at);
    else byLength.set(length, [at]);
  }
  let left = '';
  let from = 0;
  for (let at = 0; at < runs.length; at++) {
    const { start, length } = runs[at]!;
    const same = byLength.get(length)!;
    while (same.length && same.at(-1)! <= at) same.pop();
    const end = same.at(-1);
    if (end === undefined) continue;
    left += `${text.slice(from, start)} `;
    from = runs[end]!.start + length;
    at = end;
  }
  return left + text.slice(from);
}

export function findMentions(text: string, { issues: pattern, addresses }: MentionPatterns): Mentions {
  const plain = withoutCode(text.slice(0, maxText)).replace(addresses, '$1#$2');
  const people = new Set<string>();
  for (const [, name] of plain.matchAll(userPattern)) if (people.size < maxNamed) people.add(name!.toLowerCase());
  const issues = new Map<string, IssueReference>();
  const quoted = [...plain.matchAll(quotedTitlePattern)].map(({ 0: title, index }) => ({
    start: index,
    end: index + title.length,
  }));
  for (const match of plain.matchAll(pattern)) {
    const [, closes, reopens, repository, digits] = match;
    if (issues.size >= maxNamed) break;
    const isQuoted = quoted.some(({ start, end }) => start <= match.index && match.index < end);
    const action: RefAction = isQuoted ? 'none' : closes ? 'closes' : reopens ? 'reopens' : 'none';
    const key = `${repository?.toLowerCase() ?? ''}#${digits}`;
    const known = issues.get(key);
    if (!known || known.action === 'none')
      issues.set(key, { ...(repository && { repository: repository.toLowerCase() }), index: Number(digits), action });
  }
  return { users: [...people], issues: [...issues.values()] };
}

/** What several texts name together; no more than one may name. */
export function findMentionsInAll(texts: readonly string[], naming: MentionPatterns): Mentions {
  const people = new Set<string>();
  const issues = new Map<string, IssueReference>();
  for (const text of texts) {
    const named = findMentions(text, naming);
    for (const name of named.users) if (people.size < maxNamed) people.add(name);
    for (const one of named.issues) {
      const key = `${one.repository ?? ''}#${one.index}`;
      const known = issues.get(key);
      if (known ? known.action === 'none' : issues.size < maxNamed) issues.set(key, one);
    }
  }
  return { users: [...people], issues: [...issues.values()] };
}
