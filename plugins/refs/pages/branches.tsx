import type { ComponentChildren, VNode } from 'preact';
import {
  Blankslate,
  NotFound,
  defineRoute,
  type Route,
  Pager,
  withFallback,
  icon,
  type Text,
} from '@mortise/plugin-sdk';
import {
  CodeBody,
  CommitAuthor,
  encodePath,
  repositoryPathOf,
  pageAccess,
  pageContextOf,
  type CodePageContext,
} from '@mortise/history/api';
import type { DeletedBranchRow } from '../models/deleted-branch.js';
import { takesCommits } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import { BranchRow, DeletedList, NewBranch } from './branch-rows.js';
import { doneFlash, formRoute } from './forms.js';
import type { BranchPageServices } from './services.js';

const done = {
  created: t.later('done.created'),
  renamed: t.later('done.renamed'),
  deleted: t.later('done.deleted'),
  restored: t.later('done.restored'),
};

/** What these routes share. */
function branchContext(services: BranchPageServices) {
  const { git: reader, pages, branches, branchRules, deleted, views, site, accounts } = services;
  const show = async (
    context: CodePageContext,
    flash: { kind: 'success' | 'error'; text: Text } | undefined,
    status = 200,
  ) => {
    const { resource, actor } = context;
    const { repository } = resource;
    const git = reader.open(repository.id);
    const repositoryPath = repositoryPathOf(site, context);
    // of the form that was refused: `name` to make one, `to` to rename one
    const sent = status < 400 ? {} : ((context.payload ?? {}) as Readonly<Record<string, string>>);
    const isNew = sent.name !== undefined && sent.from !== undefined;
    const word = String((context.query as { q?: string } | undefined)?.q ?? '').toLowerCase();
    const own = await git.branch(repository.defaultBranch);
    const others = (await git.branches()).filter((ref) => ref.name !== own?.name);
    const all = (own ? [own, ...others] : others).filter((ref) => !word || ref.name.toLowerCase().includes(word));
    const { page, limit, offset } = context.page;
    const refs = all.slice(offset, offset + limit);
    const [heads, rules, gone] = await Promise.all([
      withFallback(git.commits(refs.map((ref) => ref.oid)), []),
      branchRules.rules(
        resource,
        actor,
        refs.map((ref) => ref.name),
      ),
      resource.may('write', 'code') && page === 1 ? deleted.list(repository.id) : [],
    ]);
    const byOid = new Map(heads.map((commit) => [commit.oid, commit]));
    const apart = await withFallback(
      Promise.all(
        refs.map((ref) =>
          own && ref !== own ? withFallback(git.aheadBehind(own.oid, ref.oid), undefined) : undefined,
        ),
      ),
      [],
      3_000,
    );
    const beside = await views.badges(
      resource,
      refs.map((ref) => ref.oid),
    );
    const authors = await views.authors(heads);
    const mayWrite = actor.kind === 'user' && resource.may('write', 'code') && takesCommits(repository);
    return pages.page(pageContextOf(context), 'code', {
      title: t.later('branches.title'),
      flash,
      status,
      islands: ['lines', 'shortcuts'],
      body: (
        <CodeBody find={`${repositoryPath}/find/branch/${encodePath(repository.defaultBranch)}`}>
          <Toolbar repositoryPath={repositoryPath} count={all.length} word={word} mayCompare={own !== undefined}>
            {mayWrite && own ? (
              <NewBranch
                repositoryPath={repositoryPath}
                csrf={context.csrf}
                from={isNew ? sent.from! : own.name}
                name={isNew ? sent.name : undefined}
              />
            ) : null}
          </Toolbar>
          <ul class="Box list-style-none">
            {refs.map((ref, index) => {
              const commit = byOid.get(ref.oid);
              return (
                <BranchRow
                  repositoryPath={repositoryPath}
                  row={{ ref, commit, apart: apart[index], rule: rules.get(ref.name) }}
                  isDefault={ref.name === own?.name}
                  mayWrite={mayWrite}
                  mayAdminister={resource.may('admin')}
                  csrf={context.csrf}
                  base={repository.defaultBranch}
                  newName={sent.from === ref.name ? sent.to : undefined}
                  badges={beside.get(ref.oid) ?? []}
                  author={
                    commit ? (
                      <CommitAuthor
                        account={authors.get(commit.author.email.toLowerCase())}
                        name={commit.author.name}
                        path={site.path}
                        avatarUrl={views.avatarUrl}
                      />
                    ) : null
                  }
                />
              );
            })}
            {refs.length === 0 ? <None isSearch={word !== ''} /> : null}
          </ul>
          <Pager
            page={page}
            more={offset + refs.length < all.length}
            href={(to) => `?q=${encodeURIComponent(word)}&page=${to}`}
          />
          {gone.length > 0 ? (
            <DeletedList
              rows={gone}
              repositoryPath={repositoryPath}
              csrf={context.csrf}
              mayWrite={mayWrite}
              names={await namesOf(gone)}
            />
          ) : null}
        </CodeBody>
      ),
    });
  };
  const namesOf = async (rows: readonly DeletedBranchRow[]) => {
    const found = await accounts.byIds([...new Set(rows.map((row) => row.deleted_by).filter((id) => id > 0))]);
    return new Map([...found.values()].map((account) => [account.id, account.name]));
  };
  const back = (context: CodePageContext, word: keyof typeof done) =>
    `${repositoryPathOf(site, context)}/branches?done=${word}`;
  const form = (
    name: string,
    act: (context: CodePageContext, values: Readonly<Record<string, string>>) => Promise<keyof typeof done>,
  ) =>
    formRoute(
      `/{owner}/{repo}/branches/${name}`,
      async (context, values) => back(context, await act(context, values)),
      (context, flash, status) => show(context, flash, status),
    );
  return { show, form, branches };
}

type BranchPageContext = ReturnType<typeof branchContext>;

const branchList = ({ show }: BranchPageContext) =>
  defineRoute({
    method: 'GET',
    path: '/{owner}/{repo}/branches',
    surface: 'page',
    access: pageAccess,
    handler: (context) => show(context, doneFlash(context.query, done)),
  });

const createBranch = ({ form, branches }: BranchPageContext) =>
  form('new', async (context, { name = '', from = '' }) => {
    await branches.create(context.resource, context.actor, name.trim(), { ref: from.trim() || undefined });
    return 'created';
  });

const renameBranch = ({ form, branches }: BranchPageContext) =>
  form('rename', async (context, { from = '', to = '' }) => {
    await branches.rename(context.resource, context.actor, from, to.trim());
    return 'renamed';
  });

const deleteBranch = ({ form, branches }: BranchPageContext) =>
  form('delete', async (context, { name = '' }) => {
    await branches.delete(context.resource, context.actor, name);
    return 'deleted';
  });

const restoreBranch = ({ form, branches }: BranchPageContext) =>
  form('restore', async (context, { id = '' }) => {
    if (!/^\d{1,15}$/.test(id)) throw NotFound('deleted branch');
    await branches.restore(context.resource, context.actor, Number(id));
    return 'restored';
  });

/** Branches: where they stand, and what can be done with them (REP-19, REP-20). */
export function branchPages(services: BranchPageServices): Route[] {
  const context = branchContext(services);
  return [
    branchList(context),
    createBranch(context),
    renameBranch(context),
    deleteBranch(context),
    restoreBranch(context),
  ];
}

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
