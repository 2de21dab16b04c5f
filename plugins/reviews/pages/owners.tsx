import type { VNode } from 'preact';
import { icon, TextField, type Slot } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { ComparePageContext } from '@mortise/history/api';
import type { NewPullField } from '@mortise/pulls/api';
import type { OwnersResult } from '../services/code-owners.js';
import { ownersIn } from '../services/push-hint.js';
import { namesIn } from './routes.js';
import type { PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

const maxShown = 20;

/** Whom what is changed belongs to, by rule. */
const Owners = ({ found }: { found: OwnersResult }): VNode | null => {
  if (found === 'unreadable') return <p class="note">{t('obstacle.codeowners.unreadable')}</p>;
  const faults = found.faults.slice(0, maxShown).map(({ line }) => line);
  const parts = found.parts.filter(({ names }) => names.length > 0);
  if (parts.length + faults.length === 0) return null;
  return (
    <div class="mb-3">
      <p class="mb-1">
        {icon('shield-lock')} <strong>{t('owners.title')}</strong>{' '}
        <span class="color-fg-muted">{t('owners.note')}</span>
      </p>
      {faults.length ? <p class="note">{t('obstacle.codeowners.lines', { lines: faults.join(', ') })}</p> : null}
      <ul class="list-style-none">
        {parts.slice(0, maxShown).map(({ rule, names }) => (
          <li class="wb-break-word">
            <code>{`${rule.isNegated ? '!' : ''}${rule.pattern}`}</code> {names.join(', ')}
          </li>
        ))}
      </ul>
    </div>
  );
};

/** On the form for a new pull request: who is asked, and who will be asked anyway. */
export const reviewersField = (deps: PageDeps): NewPullField => ({
  key: 'reviewers',
  order: 20,
  async render({ actor, repository, paths }, sent) {
    const owners = await deps.reviewServices.owners.of(repository, await paths(), actor);
    const names = sent ? [...namesIn(sent, 'reviewers').users, ...namesIn(sent, 'reviewers').teams] : [];
    return <ReviewersField names={names.join(', ')} found={owners} />;
  },
  input: (sent) => namesIn(sent, 'reviewers'),
});

const ReviewersField = ({ names, found }: { names: string; found: OwnersResult }): VNode => (
  <>
    <TextField
      name="reviewers"
      label={t('reviewers.title')}
      value={names}
      maxLength={2000}
      note={t('reviewers.note')}
      data-suggest="users"
    />
    <Owners found={found} />
  </>
);

/** On the page of a comparison with a branch. */
export const compareOwners = (deps: PageDeps & { readonly gitReader: GitReader }): Slot<ComparePageContext> => ({
  key: 'reviews.owners',
  order: 5,
  async render({ actor, context, head, base, mergeBase }) {
    const { repository } = context;
    if (head.repositoryId !== repository.id || base.name !== repository.defaultBranch) return null;
    const changes = await deps.gitReader.open(repository.id).changes(mergeBase, head.commit, { stats: false });
    const paths = changes.flatMap(({ path, oldPath }) => (oldPath ? [path, oldPath] : [path]));
    const names = ownersIn(await deps.reviewServices.owners.of(repository, paths, actor));
    return names.length ? <OwnerNames names={names} /> : null;
  },
});

const OwnerNames = ({ names }: { names: readonly string[] }): VNode => (
  <span class="f6 color-fg-muted wb-break-word">
    {icon('shield-lock')} {t('owners.names', { names: names.slice(0, maxShown).join(', ') })}
  </span>
);
