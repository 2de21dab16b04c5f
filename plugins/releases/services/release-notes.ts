import { Invalid, NotFound, type PointReader, type Site } from '@mortise/plugin-sdk';
import type { GitReader, GitRepository } from '@mortise/git/api';
import type { Repository, RepositoryContext } from '@mortise/repositories/api';
import type { MergedPull, MergedPullSource } from './merged-pulls.js';
import { readNotesConfig, type NotesConfig } from './notes-config.js';
import { encoded } from './release-presenter.js';
import { checkTagName } from './tag-names.js';
import { t } from '../texts/index.js';

const maxCommits = 10_000;
const maxPulls = 1000;

interface NotesRequest {
  readonly tagName: string;
  /** Branch or commit of a tag that is not there yet; empty: the default branch. */
  readonly target?: string;
  /** Tag of the release before; empty: the nearest one in the history. */
  readonly previousTag?: string;
  /** A file in place of the usual ones. */
  readonly configPath?: string;
}

/**
 * Writes notes from the pull requests that were merged since the release before. They are in English, as the messages of
 * commits that the site makes: they belong to the repository, whoever reads it.
 */
export class ReleaseNotes {
  constructor(
    private readonly deps: {
      readonly git: GitReader;
      readonly site: Site;
      readonly mergedPulls: PointReader<MergedPullSource>;
    },
  ) {}

  /** NotFound where the target or a named tag is not there, Invalid for a broken file of the repository. */
  async generate(context: RepositoryContext, request: NotesRequest): Promise<{ name: string; body: string }> {
    const { repository } = context;
    const { tagName } = request;
    checkTagName(tagName);
    const git = this.deps.git.open(repository.id);
    if (await git.isEmpty()) throw Invalid(t.later('error.empty'));
    const commit = await commitOf(git, repository, request);
    const previous = await previousOf(git, commit, request);
    const config = await readNotesConfig(git, commit, request.configPath);
    const pulls = await this.#pulls(context, git, commit, previous?.commit);
    const home = this.deps.site.url(`/${repository.ownerName}/${repository.name}`);
    const changes = previous
      ? `${home}/compare/${encoded(previous.name)}...${encoded(tagName)}`
      : `${home}/commits/tag/${encoded(tagName)}`;
    const body = [...sectionsOf(pulls.items, pulls.total, config), `**Full Changelog**: ${changes}`].join('\n\n');
    return { name: tagName, body: `${body}\n` };
  }

  /** None for whoever may not read pull requests. */
  async #pulls(context: RepositoryContext, git: GitRepository, commit: string, previous: string | undefined) {
    const source = context.may('read', 'pulls') ? this.deps.mergedPulls.list()[0] : undefined;
    if (!source) return { items: [], total: 0 };
    const output = await git.run([
      'rev-list',
      `--max-count=${maxCommits}`,
      commit,
      ...(previous ? [`^${previous}`] : []),
      '--',
    ]);
    return source.amongCommits(context.repository.id, output.split('\n').filter(Boolean), maxPulls);
  }
}

async function commitOf(
  git: GitRepository,
  repository: Repository,
  { tagName, target }: NotesRequest,
): Promise<string> {
  const tag = await git.tag(tagName);
  const name = tag?.ref ?? (target || repository.defaultBranch);
  const revision = await git.resolve(name);
  if (!revision) {
    const message = t.later('error.target', { name: name.slice(0, 100) });
    throw NotFound(message, { inputs: { target: message } });
  }
  return revision.commit;
}

async function previousOf(
  git: GitRepository,
  commit: string,
  { tagName, previousTag }: NotesRequest,
): Promise<{ name: string; commit: string } | undefined> {
  const name = previousTag || (await nearestTag(git, commit, tagName));
  if (!name) return undefined;
  const tag = await git.tag(name);
  const previous = tag && (await git.resolve(tag.ref));
  if (!previous) {
    const message = t.later('error.previousTag', { name: name.slice(0, 100) });
    throw NotFound(message, { inputs: { previous_tag: message } });
  }
  return { name, commit: previous.commit };
}

/**
 * The tag before this one in the history of the commit, which may have others itself; names of tags hold nothing that is
 * special in a pattern of git.
 */
async function nearestTag(git: GitRepository, commit: string, tagName: string): Promise<string> {
  const ownTags = (await git.run(['tag', '--points-at', commit])).split('\n').filter(Boolean).slice(0, 100);
  const excluded = [tagName, ...ownTags].map((name) => `--exclude=${name}`);
  const output = await git.run(['describe', '--tags', '--abbrev=0', ...excluded, commit], { okCodes: [0, 128] });
  return output.trim();
}

const otherChanges = 'Other Changes';

function sectionsOf(all: readonly MergedPull[], total: number, { exclude, categories }: NotesConfig): string[] {
  const pulls = all.filter((pull) => !isExcluded(pull, exclude));
  if (pulls.length === 0) return [];
  const groups = new Map<string, MergedPull[]>(categories.map(({ title }) => [title, []]));
  for (const pull of pulls) {
    const category = categories.find((one) => isLabelled(pull, one.labels) && !isExcluded(pull, one.exclude));
    const title = category?.title ?? otherChanges;
    groups.set(title, [...(groups.get(title) ?? []), pull]);
  }
  const changes = [...groups].flatMap(([title, items]) =>
    items.length === 0
      ? []
      : [[...(categories.length ? [`### ${oneLine(title)}`] : []), items.map(lineOf).join('\n')].join('\n\n')],
  );
  const authors = [...new Set(pulls.filter(({ author }) => author).map(mentionOf))];
  const newcomers = pulls.filter(({ isFirst }) => isFirst);
  return [
    "## What's Changed",
    ...changes,
    ...(total > all.length ? [`… and ${total - all.length} more pull requests.`] : []),
    ...(authors.length ? ['## Contributors', authors.join(', ')] : []),
    ...(newcomers.length
      ? [
          '## New Contributors',
          newcomers.map((pull) => `* ${mentionOf(pull)} made their first contribution in !${pull.index}`).join('\n'),
        ]
      : []),
  ];
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const mentionOf = ({ author, isAccount }: MergedPull): string => (isAccount ? `@${author}` : oneLine(author));
const lineOf = (pull: MergedPull): string =>
  `* ${oneLine(pull.title)}${pull.author ? ` by ${mentionOf(pull)}` : ''} in !${pull.index}`;

const holds = (names: readonly string[], name: string): boolean =>
  names.some((one) => one.toLowerCase() === name.toLowerCase());
const isLabelled = ({ labels }: MergedPull, names: readonly string[]): boolean =>
  names.includes('*') || labels.some((label) => holds(names, label));
const isExcluded = (pull: MergedPull, { labels, authors }: NotesConfig['exclude']): boolean =>
  (labels.length > 0 && isLabelled(pull, labels)) || holds(authors, pull.author);
