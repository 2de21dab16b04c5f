import type { PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import type { Issue, Issues } from '@mortise/issues/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { MergeOptions, MergeStyle, MergeTemplateVariables, PullRequest } from '../api.js';
import type { PullRange } from '../contract/pulls.js';
import type { PullSettings } from '../settings.js';
import type { RepositoryTexts } from './repository-texts.js';

const maxText = 100_000;
/** What the field of the form takes. */
const maxProposed = 65_536;
/** Signs of somebody's name and address, and of all lines that name one: commits may bear any name. */
const maxTrailer = 400;
const maxTrailers = 16_384;

/** What is merged, and by which name its head may be called before everybody who reads the base. */
export interface MergeSubject {
  readonly repository: Repository;
  readonly issue: Issue;
  readonly pull: PullRequest;
  readonly headName: string;
}
interface MergeText {
  readonly title: string;
  readonly text: string;
}

/** Messages of merges when nobody chose one: by a template of the repository, or as everywhere. */
export class MergeMessages {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly issues: Issues;
      readonly repositories: Repositories;
      readonly texts: RepositoryTexts;
      readonly words: PointReader<MergeTemplateVariables>;
      readonly settings: PullSettings;
    },
  ) {}

  /** `range`: the text of a squash names what it is made of. */
  async usual(style: MergeStyle, merged: MergeSubject, range?: PullRange): Promise<MergeText> {
    const template = await this.deps.texts.mergeTemplate(merged.repository, style);
    if (template !== undefined) return this.#fill(template, merged);
    return {
      title: defaultTitle(style, merged.issue, merged.pull, merged.headName),
      text: style === 'squash' && range ? await this.#squashed(range, merged.issue) : '',
    };
  }

  /** First line and rest, with what stands in place of `${…}`; words that are not known are left out. */
  async #fill(template: string, { repository, issue, pull, headName }: MergeSubject): Promise<MergeText> {
    const { accounts, issues, repositories } = this.deps;
    // the branch, with the repository before it where that may be named
    const [, path] = /^([^:]+):/.exec(headName) ?? [];
    const [headOwner = '', headRepository = ''] = path?.split('/') ?? [];
    const isOwn = pull.headRepositoryId === repository.id;
    const body = issue.body.slice(0, maxText);
    const poster = await accounts.byId(issue.posterId);
    const url = issues.htmlUrl(repository, issue);
    const values: Record<string, string> = {
      BaseRepoOwnerName: repository.ownerName,
      BaseRepoName: repository.name,
      BaseBranch: pull.baseBranch,
      HeadRepoOwnerName: isOwn ? repository.ownerName : headOwner,
      HeadRepoName: isOwn ? repository.name : headRepository,
      HeadBranch: pull.headBranch,
      PullRequestTitle: issue.title,
      PullRequestDescription: body,
      PullRequestPosterName: poster?.name ?? '',
      PullRequestIndex: String(issue.index),
      PullRequestReference: `#${issue.index}`,
      PullRequestUrl: `${repositories.htmlUrl(repository)}/pulls/${issue.index}`,
      ClosingIssues: issues
        .closedBy(body)
        .map((one) => `close ${one}`)
        .join(', '),
      ReviewedOn: `Reviewed-on: ${url}`,
      ReviewedBy: '',
    };
    for (const one of this.deps.words.list()) Object.assign(values, await one.variables({ repository, issue, pull }));
    const [title = '', ...rest] = template.split('\n');
    const fill = (text: string) => filled(text, values);
    return { title: fill(title).replaceAll(/\s+/g, ' ').trim(), text: fill(rest.join('\n')).trim() };
  }

  /** The text of the pull request or the messages of the commits, and below it who else wrote them. */
  async #squashed({ git, head, base }: PullRange, { body, posterId }: Issue): Promise<string> {
    const { settings } = this.deps;
    const limit = settings.DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT;
    const namesAll = settings.DEFAULT_MERGE_MESSAGE_ALL_AUTHORS;
    const wanted = limit < 0 || namesAll ? maxCommits : Math.min(limit, maxCommits);
    const { commits } =
      wanted > 0
        ? await git.log({ from: [head], not: base ? [base] : [], limit: wanted, total: false })
        : { commits: [] };
    const listed = limit < 0 ? commits : commits.slice(0, limit);
    const text = settings.POPULATE_SQUASH_COMMENT_WITH_COMMIT_MESSAGES ? this.#commitList(listed) : body.trim();
    const others = await this.#others(namesAll ? commits : listed, posterId);
    return withTrailers(text.replaceAll('\r\n', '\n'), others, maxProposed).trim().slice(0, maxProposed);
  }

  /** Lines for those who wrote commits, but for the poster; oldest first. */
  async #others(commits: readonly Commit[], posterId: number): Promise<string[]> {
    const authors = commits
      .map(({ author }) => author)
      .filter(({ name, email }) => name.length + email.length < maxTrailer)
      .reverse();
    const known = await this.deps.accounts.byEmails([...new Set(authors.map(({ email }) => email))]);
    const lines = new Set<string>();
    let size = 0;
    for (const { name, email } of authors) {
      const line = `Co-authored-by: ${name} <${email}>`;
      if (known.get(email.toLowerCase())?.id === posterId || lines.has(line)) continue;
      size += line.length;
      if (size > maxTrailers) break;
      lines.add(line);
    }
    return [...lines];
  }

  /** Oldest first. */
  #commitList(commits: readonly Commit[]): string {
    const size = this.deps.settings.DEFAULT_MERGE_MESSAGE_SIZE;
    const text = commits
      .map(({ message }) => `* ${message.trim().slice(0, maxText)}`)
      .reverse()
      .join('\n\n');
    return size < 0 || text.length <= size ? text : `${text.slice(0, size)}...`;
  }
}

/** The message with these lines below it, among others of their kind there; each once, in so many characters at most. */
export function withTrailers(message: string, trailers: readonly string[], max = maxText): string {
  const size = trailers.reduce((sum, one) => sum + one.length + 1, 2);
  const text = message.slice(0, Math.max(max - size, 0)).trimEnd();
  const lines = text.split('\n');
  const last = lines.slice(lines.lastIndexOf('') + 1);
  const hasTrailers = last.length < lines.length && last.every((line) => /^[A-Za-z][\w-]*: \S/.test(line));
  const there = new Set(hasTrailers ? last.map((line) => line.toLowerCase()) : []);
  const missing = trailers.filter((one) => !there.has(one.toLowerCase()));
  if (missing.length === 0) return message;
  return `${text}${hasTrailers ? '\n' : '\n\n'}${missing.join('\n')}\n`;
}

/** The text with its words replaced; no longer than a message may be, however often a long word is asked for. */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  let made = '';
  let at = 0;
  for (const { 0: all, 1: braced, 2: bare, index } of text.matchAll(/\$(?:\{(\w+)\}|([A-Za-z]\w*))/g)) {
    if (made.length >= maxText) break;
    const name = braced ?? bare ?? '';
    made += text.slice(at, index) + (Object.hasOwn(values, name) ? values[name]! : '');
    at = index + all.length;
  }
  return (made + text.slice(at)).slice(0, maxText);
}

/** However much is asked for. */
const maxCommits = 1000;

/** The first line of a merge when nobody chose one. */
const defaultTitle = (style: MergeStyle, issue: Issue, pull: PullRequest, headName: string): string =>
  style === 'squash'
    ? `${issue.title} (#${issue.index})`
    : `Merge pull request '${issue.title}' (#${issue.index}) from ${headName} into ${pull.baseBranch}`;

/** Title and text as one message; what was chosen goes before what is usual. */
export function mergeMessage({ title, message }: Pick<MergeOptions, 'title' | 'message'>, usual: MergeText): string {
  const first = title?.trim() || usual.title;
  const rest = message?.trim() || (title?.trim() ? '' : usual.text);
  const text = (rest ? `${first}\n\n${rest}` : first).replaceAll('\r\n', '\n');
  // as git does: one empty line between paragraphs
  return `${text.replaceAll(/\n(?:[ \t]*\n){2,}/g, '\n\n').slice(0, maxText)}\n`;
}
