import type { ComponentChildren, VNode } from 'preact';
import { Blankslate, NotFound, pageRoute, type Route, Pager, withFallback, icon, type Text } from '@mortise/plugin-sdk';
import {
  CodeBody,
  CommitAuthor,
  encodePath,
  repositoryPathOf,
  pageAccess,
  pageContextOf,
  type CodePageContext,
} from '@mortise/history/api';
import type { Ref } from '@mortise/git/api';
import type { DeletedBranchRow } from '../models/deleted-branch.js';
import { takesCommits } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import { BranchRow, DeletedList, NewBranch } from './branch-rows.js';
import { doneFlash, formRoute } from './forms.js';
import type { BranchPageDeps } from './page-deps.js';

const done = {
  created: t.later('done.created'),
  renamed: t.later('done.renamed'),
  deleted: t.later('done.deleted'),
  restored: t.later('done.restored'),
};

interface SentForm {
  readonly name?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Branches of one page with what the list shows of each, with few questions to git and database. */
async function branchPage(services: BranchPageDeps, context: CodePageContext, word: string) {
  const { git: reader, branchRules, views } = services;
  const { resource, actor } = context;
  const git = reader.open(resource.repository.id);
  const own = await git.branch(resource.repository.defaultBranch);
  const others = (await git.branches()).filter((ref) => ref.name !== own?.name);
  const all = (own ? [own, ...others] : others).filter((ref) => !word || ref.name.toLowerCase().includes(word));
  const refs = all.slice(context.page.offset, context.page.offset + context.page.limit);
  const oids = refs.map((ref) => ref.oid);
  const [heads, rules] = await Promise.all([
    withFallback(git.commits(oids), []),
    branchRules.rules(
      resource,
      actor,
      refs.map((ref) => ref.name),
    ),
  ]);
  const aheadBehind = (ref: Ref) =>
    own && ref !== own ? withFallback(git.aheadBehind(own.oid, ref.oid), undefined) : undefined;
  const apart = await withFallback(Promise.all(refs.map(aheadBehind)), [], 3_000);
  const badges = await views.badges(resource, oids);
  const authors = await views.authors(heads);
  const byOid = new Map(heads.map((commit) => [commit.oid, commit]));
  const rows = refs.map((ref, index) => {
    const commit = byOid.get(ref.oid);
    return {
      row: { ref, commit, apart: apart[index], rule: rules.get(ref.name) },
      badges: badges.get(ref.oid) ?? [],
      author: commit && { commit, account: authors.get(commit.author.email.toLowerCase()) },
    };
  });
  return { own, rows, total: all.length };
}

type BranchEntry = Awaited<ReturnType<typeof branchPage>>['rows'][number];

async function deletedBranches(
  { accounts, deleted }: BranchPageDeps,
  { resource, page }: CodePageContext,
): Promise<{ readonly rows: readonly DeletedBranchRow[]; readonly names: ReadonlyMap<number, string> }> {
  const rows = resource.may('write', 'code') && page.page === 1 ? await deleted.list(resource.repository.id) : [];
  const accountsById = await accounts.byIds([...new Set(rows.map((row) => row.deleted_by).filter((id) => id > 0))]);
  return { rows, names: new Map([...accountsById.values()].map((account) => [account.id, account.name])) };
}

const AuthorOf = ({ entry, services }: { readonly entry: BranchEntry; readonly services: BranchPageDeps }) =>
  entry.author ? (
    <CommitAuthor
      account={entry.author.account}
      name={entry.author.commit.author.name}
      path={services.site.path}
      avatarUrl={services.views.avatarUrl}
    />
  ) : null;

async function showBranches(
  services: BranchPageDeps,
  context: CodePageContext,
  flash: { kind: 'success' | 'error'; text: Text } | undefined,
  status = 200,
) {
  const { pages, site } = services;
  const { resource, actor } = context;
  const { repository } = resource;
  const repositoryPath = repositoryPathOf(site, context);
  // of the form that was refused: `name` to make one, `to` to rename one
  const sent: SentForm = status < 400 ? {} : ((context.payload ?? {}) as SentForm);
  const isNew = sent.name !== undefined && sent.from !== undefined;
  const word = String((context.query as { q?: string } | undefined)?.q ?? '').toLowerCase();
  const { page, offset } = context.page;
  const { own, rows, total } = await branchPage(services, context, word);
  const gone = await deletedBranches(services, context);
  const mayWrite = actor.kind === 'user' && resource.may('write', 'code') && takesCommits(repository);
  const common = { repositoryPath, mayWrite, hasArchives: pages.offersArchives };
  return pages.page(pageContextOf(context), 'code', {
    title: t.later('branches.title'),
    flash,
    status,
    islands: ['lines', 'shortcuts'],
    body: (
      <CodeBody find={`${repositoryPath}/find/branch/${encodePath(repository.defaultBranch)}`}>
        <Toolbar repositoryPath={repositoryPath} count={total} word={word} mayCompare={own !== undefined}>
          {mayWrite && own ? (
            <NewBranch
              repositoryPath={repositoryPath}
              from={isNew ? sent.from! : own.name}
              name={isNew ? sent.name : undefined}
            />
          ) : null}
        </Toolbar>
        <ul class="Box list-style-none">
          {rows.map((entry) => (
            <BranchRow
              {...common}
              row={entry.row}
              isDefault={entry.row.ref.name === own?.name}
              mayAdminister={resource.may('admin')}
              base={repository.defaultBranch}
              newName={sent.from === entry.row.ref.name ? sent.to : undefined}
              badges={entry.badges}
              author={<AuthorOf entry={entry} services={services} />}
            />
          ))}
          {rows.length === 0 ? <None isSearch={word !== ''} /> : null}
        </ul>
        <Pager
          page={page}
          more={offset + rows.length < total}
          href={(to) => `?q=${encodeURIComponent(word)}&page=${to}`}
        />
        {gone.rows.length > 0 ? <DeletedList {...common} {...gone} /> : null}
      </CodeBody>
    ),
  });
}

const branchList = (services: BranchPageDeps) =>
  pageRoute('/{owner}/{repo}/branches', pageAccess, (context) =>
    showBranches(services, context, doneFlash(context.query, done)),
  );

/** A form of the list; `act` says what was done. */
const branchForm = (
  services: BranchPageDeps,
  name: string,
  act: (context: CodePageContext, values: Readonly<Record<string, string>>) => Promise<keyof typeof done>,
) =>
  formRoute(
    `/{owner}/{repo}/branches/${name}`,
    async (context, values) =>
      `${repositoryPathOf(services.site, context)}/branches?done=${await act(context, values)}`,
    (context, flash, status) => showBranches(services, context, flash, status),
  );

const createBranch = (services: BranchPageDeps) =>
  branchForm(services, 'new', async ({ resource, actor }, { name = '', from = '' }) => {
    await services.branches.create(resource, actor, name.trim(), { ref: from.trim() || undefined });
    return 'created';
  });

const renameBranch = (services: BranchPageDeps) =>
  branchForm(services, 'rename', async ({ resource, actor }, { from = '', to = '' }) => {
    await services.branches.rename(resource, actor, from, to.trim());
    return 'renamed';
  });

const deleteBranch = (services: BranchPageDeps) =>
  branchForm(services, 'delete', async ({ resource, actor }, { name = '' }) => {
    await services.branches.delete(resource, actor, name);
    return 'deleted';
  });

const restoreBranch = (services: BranchPageDeps) =>
  branchForm(services, 'restore', async ({ resource, actor }, { id = '' }) => {
    if (!/^\d{1,15}$/.test(id)) throw NotFound('deleted branch');
    await services.branches.restore(resource, actor, Number(id));
    return 'restored';
  });

/** Branches: where they stand, and what can be done with them (REP-19, REP-20). */
export const branchPages = (services: BranchPageDeps): Route[] => [
  branchList(services),
  createBranch(services),
  renameBranch(services),
  deleteBranch(services),
  restoreBranch(services),
];

const None = ({ isSearch }: { isSearch: boolean }): VNode => (
  <li>
    <Blankslate title={isSearch ? t('branches.noMatch') : t('branches.none')} icon="git-branch" level={3} plain />
  </li>
);

function Toolbar({
  repositoryPath,
  count,
  word,
  mayCompare,
  children,
}: {
  repositoryPath: string;
  count: number;
  word: string;
  mayCompare: boolean;
  children: ComponentChildren;
}): VNode {
  return (
    <div class="code-row mb-3">
      <h2 class="f3">
        {t('branches.title')} <span class="Counter">{count}</span>
      </h2>
      <span class="flex-auto" />
      <form method="get" action={`${repositoryPath}/branches`}>
        <input
          class="form-control input-sm"
          type="search"
          name="q"
          value={word}
          placeholder={t('branches.search')}
          aria-label={t('branches.search')}
          data-focus
        />
      </form>
      {mayCompare ? (
        <a class="btn btn-sm" href={`${repositoryPath}/compare`}>
          {icon('git-compare')} {t('branches.compare')}
        </a>
      ) : null}
      {children}
    </div>
  );
}
