import type { VNode } from 'preact';
import {
  Blankslate,
  pageRoute,
  lastPage,
  Pager,
  toId,
  webPage,
  type Flash,
  type Route,
  type WebPage,
} from '@mortise/plugin-sdk';
import { diffIslands, diffQuery, type DiffQuery, type DiffSlots } from '@mortise/history/api';
import { pullResource, type PullDiff } from '../api.js';
import type { PullRange } from '../contract/pulls.js';
import { mustReadCode } from '../routes/route-options.js';
import { Checks } from './checks.js';
import { pullPage } from './frame.js';
import { pageContextOf, viewOf, type PageDeps, type PullRoute } from './page-context.js';
import { VersionChoice, versionRange, type VersionRange } from './versions.js';
import { t } from '../texts/index.js';

const perPage = 50;
const base = '/{owner}/{repo}/pulls/{index}';
const read = { actor: 'anyone', resource: pullResource, expensive: true } as const;

async function commitsPage(deps: PageDeps, context: PullRoute): Promise<WebPage> {
  const { resource } = context;
  mustReadCode(resource.context);
  const { repositoryPath } = pageContextOf(deps, context);
  const range = await deps.pullServices.ranges.of(resource.pull);
  const { page } = context.page;
  const log = await range.git.log({
    from: [range.head],
    not: range.base ? [range.base] : [],
    offset: (page - 1) * perPage,
    limit: perPage,
  });
  const list = log.commits.length ? await deps.views.list(viewOf(repositoryPath, context, range), log.commits) : null;
  return pullPage(deps, context, 'commits', {
    body: (
      <Commits
        list={list}
        page={page}
        last={lastPage(log.total, perPage)}
        href={(to) => `${repositoryPath}/pulls/${resource.pull.index}/commits?page=${to}`}
      />
    ),
  });
}

const Commits = (props: { list: VNode | null; page: number; last: number; href: (page: number) => string }): VNode => (
  <div>
    <h3 class="sr-only">{t('tabs.commits')}</h3>
    {props.list ?? (
      <Blankslate level={3} icon="git-commit" title={t('commits.none')}>
        <p>{t('commits.noneNote')}</p>
      </Blankslate>
    )}
    <Pager page={props.page} last={props.last} href={props.href} />
  </div>
);

/** Slots of several plugins as those of one. */
function joined(all: readonly DiffSlots[]): DiffSlots {
  const of = <K extends keyof DiffSlots>(key: K) => all.flatMap((slots) => slots[key] ?? []);
  const [lines, heads, bars] = [of('diffLine'), of('fileHeader'), of('toolbar')];
  const notes = of('fileNotes');
  const folds = of('isFolded');
  const some = (nodes: readonly unknown[]) => (nodes.some(Boolean) ? <>{nodes}</> : undefined);
  return {
    ...(lines.length && { diffLine: (positions) => some(lines.map((one) => one?.(positions))) }),
    ...(heads.length && { fileHeader: (file) => some(heads.map((one) => one?.(file))) }),
    ...(notes.length && { fileNotes: (file) => some(notes.map((one) => one?.(file))) }),
    ...(folds.length && { isFolded: (file) => folds.some((one) => one?.(file)) }),
    ...(bars.length && { toolbar: () => some(bars.map((one) => one?.())) }),
  };
}

interface DisplayedChanges {
  readonly range: Pick<PullRange, 'git' | 'start' | 'head'> & Partial<Pick<VersionRange, 'from'>>;
  readonly isWhole: boolean;
  /** Above the files. */
  readonly above?: VNode;
}

async function diffOf(deps: PageDeps, context: PullRoute, { range, isWhole }: DisplayedChanges) {
  const page = pageContextOf(deps, context);
  const query = context.query as DiffQuery;
  const piece = await deps.diffs.read(range.git, range.start, range.head, query);
  const diff: PullDiff = { page, git: range.git, start: range.start, head: range.head, isWhole, piece };
  const added = deps.diffExtensions.list();
  const slots = joined(await Promise.all(added.map((one) => one.slots(diff))));
  const body = await deps.diffs.render(piece, {
    before: { repositoryPath: page.repositoryPath, commit: range.from ?? range.start },
    after: { repositoryPath: page.repositoryPath, commit: range.head },
    slots,
    viewer: context,
  });
  return { piece, body, islands: diffIslands };
}

export async function filesPage(deps: PageDeps, context: PullRoute, flash?: Flash): Promise<WebPage> {
  const { resource } = context;
  mustReadCode(resource.context);
  const whole = await deps.pullServices.ranges.of(resource.pull);
  const since = toId((context.query as Readonly<Record<string, unknown>>).since);
  const versions = resource.pull.version > 1 ? await deps.pullServices.reader.versions(resource.pull) : [];
  const range = await versionRange(deps, resource.pull, whole, versions, since);
  const shown = { range: range ?? whole, isWhole: range === undefined };
  const { piece, body, islands } = await diffOf(deps, context, shown);
  if ((context.query as DiffQuery).piece) return webPage({ title: t.later('tabs.files'), fragment: true, body });
  const { repositoryPath } = pageContextOf(deps, context);
  const own = `${repositoryPath}/pulls/${resource.pull.index}`;
  return pullPage(deps, context, 'files', {
    islands,
    ...(flash && { flash }),
    body: (
      <Files
        above={<VersionChoice versions={versions} since={range ? since : 0} own={own} />}
        body={piece.total ? body : null}
      />
    ),
  });
}

const Files = ({ above, body }: { above: VNode | null; body: VNode | null }): VNode => (
  <div>
    <h3 class="sr-only">{t('tabs.files')}</h3>
    {above}
    {body ?? (
      <Blankslate level={3} icon="file-diff" title={t('files.none')}>
        <p>{t('files.noneNote')}</p>
      </Blankslate>
    )}
  </div>
);

async function checksPage(deps: PageDeps, context: PullRoute): Promise<WebPage> {
  const { resource } = context;
  mustReadCode(resource.context);
  const { pull } = resource;
  const [given, rule] = await Promise.all([
    deps.statuses()?.latest(pull.repositoryId, [pull.headOid]),
    pull.isOpen ? deps.protections()?.ruleFor(pull.repositoryId, pull.baseBranch) : undefined,
  ]);
  const checks = given?.get(pull.headOid) ?? [];
  const missing = rule?.enableStatusCheck ? rule.checkState(checks).missing : [];
  const { repositoryPath } = pageContextOf(deps, context);
  return pullPage(deps, context, 'checks', {
    body: <Checks checks={checks} missing={missing} oid={pull.headOid} repositoryPath={repositoryPath} />,
  });
}

/** One commit of the pull request is shown by its own page. */
export const changePages = (deps: PageDeps): Route[] => [
  pageRoute(`${base}/commits`, read, (context) => commitsPage(deps, context)),
  pageRoute(`${base}/files`, read, (context) => filesPage(deps, context as PullRoute), { query: diffQuery }),
  pageRoute(`${base}/checks`, read, (context) => checksPage(deps, context)),
];
