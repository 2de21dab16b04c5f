import type { VNode } from 'preact';
import { Ago, Csrf, icon, PostButton } from '@mortise/plugin-sdk';
import type { Commit, Ref } from '@mortise/git/api';
import { encodePath, subjectOf } from '@mortise/history/api';
import type { BranchRule } from '../api.js';
import type { DeletedBranchRow } from '../models/deleted-branch.js';
import { t } from '../texts/index.js';
import { DeleteRef, CreateMenu } from './ref-menus.js';

interface BranchRowData {
  readonly ref: Ref;
  readonly commit: Commit | undefined;
  readonly apart: { readonly ahead: number; readonly behind: number } | undefined;
  readonly rule: BranchRule | undefined;
}

/** `name`: the one that was refused. */
export function NewBranch({
  repositoryPath,
  from,
  name,
}: {
  repositoryPath: string;
  from: string;
  name?: string;
}): VNode {
  return (
    <CreateMenu label={t('branches.new')} action={`${repositoryPath}/branches/new`} maxLength={100} name={name}>
      <label class="d-block mb-2">
        {t('branches.from')}
        <input class="form-control input-sm d-block width-full" name="from" value={from} required />
      </label>
    </CreateMenu>
  );
}

type RowPlace = { readonly repositoryPath: string };

const RenameMenu = ({
  repositoryPath,
  name,
  newName,
}: RowPlace & { readonly name: string; readonly newName: string | undefined }): VNode => (
  <details class="position-relative d-inline-block" open={newName !== undefined}>
    <summary class="btn btn-sm" aria-label={t('branches.renameOf', { name: name })}>
      {icon('pencil')}
    </summary>
    <form
      method="post"
      action={`${repositoryPath}/branches/rename`}
      class="code-menu code-menu-right Box position-absolute mt-1 p-3 color-shadow-large"
    >
      <Csrf />
      <input type="hidden" name="from" value={name} />
      <label class="d-block mb-2">
        {t('branches.newNameOf', { name: name })}
        <input
          class="form-control input-sm d-block width-full"
          name="to"
          value={newName ?? name}
          required
          maxLength={100}
        />
      </label>
      <button class="btn btn-sm" type="submit">
        {t('branches.rename')}
      </button>
    </form>
  </details>
);

const NewestCommit = ({
  repositoryPath,
  commit,
  author,
}: RowPlace & { readonly commit: Commit | undefined; readonly author: VNode | null }): VNode => (
  <p class="f6 color-fg-muted mb-0 css-truncate css-truncate-overflow">
    {commit ? (
      <span>
        {author} <Ago time={commit.committer.time} /> ·{' '}
        <a class="Link--secondary" href={`${repositoryPath}/commit/${commit.oid}`}>
          {subjectOf(commit.message)}
        </a>
      </span>
    ) : (
      t('branches.unreadable')
    )}
  </p>
);

export function BranchRow({
  repositoryPath,
  row: { ref, commit, apart, rule },
  isDefault,
  mayWrite,
  mayAdminister,
  hasArchives,
  base,
  badges,
  author,
  newName,
}: {
  repositoryPath: string;
  row: BranchRowData;
  isDefault: boolean;
  mayWrite: boolean;
  mayAdminister: boolean;
  hasArchives: boolean;
  base: string;
  badges: readonly VNode[];
  author: VNode | null;
  /** The other name that was refused. */
  newName?: string;
}): VNode {
  const name = encodePath(ref.name);
  return (
    <li class="Box-row code-row">
      <div class="flex-auto ref-facts">
        <a class="text-bold wb-break-word row-link" href={`${repositoryPath}/src/branch/${name}`}>
          {icon('git-branch')} {ref.name}
        </a>{' '}
        {isDefault ? <span class="Label Label--accent">{t('branches.default')}</span> : null}{' '}
        {rule ? (
          <span
            class="Label Label--attention"
            title={mayAdminister ? t('branches.rule', { name: rule.ruleName }) : undefined}
          >
            {icon('shield-lock')} {t('branches.protected')}
          </span>
        ) : null}
        <NewestCommit {...{ repositoryPath, commit, author }} />
      </div>
      {badges}
      {apart ? (
        <a
          class="f6 no-wrap Link--secondary"
          href={`${repositoryPath}/compare/${encodePath(base)}...${name}`}
          title={t('branches.apartOf', { ...apart, base })}
        >
          {t('branches.apart', { ...apart })}
        </a>
      ) : null}
      {hasArchives ? (
        <a
          class="btn btn-sm"
          href={`${repositoryPath}/archive/${name}.zip`}
          rel="nofollow"
          aria-label={t('branches.zipOf', { name: ref.name })}
        >
          {icon('file-zip')}
        </a>
      ) : null}
      {mayWrite && (!isDefault || mayAdminister) ? (
        <RenameMenu name={ref.name} {...{ repositoryPath, newName }} />
      ) : null}
      {mayWrite && !isDefault ? <DeleteRef action={`${repositoryPath}/branches/delete`} name={ref.name} /> : null}
    </li>
  );
}

export function DeletedList({
  rows,
  repositoryPath,
  mayWrite,
  names,
}: {
  rows: readonly DeletedBranchRow[];
  repositoryPath: string;
  mayWrite: boolean;
  names: ReadonlyMap<number, string>;
}): VNode {
  return (
    <section class="mt-4">
      <h2 class="f4 mb-2">{t('branches.deleted')}</h2>
      <ul class="Box list-style-none">
        {rows.map((row) => (
          <li class="Box-row code-row">
            <span class="flex-auto wb-break-word">
              <s>{row.name}</s>{' '}
              <a class="text-mono f6" href={`${repositoryPath}/commit/${row.oid}`}>
                {row.oid.slice(0, 10)}
              </a>{' '}
              <span class="f6 color-fg-muted">
                {names.has(row.deleted_by)
                  ? t.rich('branches.deletedBy', {
                      name: names.get(row.deleted_by)!,
                      when: <Ago time={row.deleted_at} />,
                    })
                  : t.rich('branches.deletedAt', { when: <Ago time={row.deleted_at} /> })}
              </span>
            </span>
            {mayWrite ? (
              <PostButton action={`${repositoryPath}/branches/restore`} fields={{ id: row.id }}>
                {t('branches.restore')}
              </PostButton>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
