import { Fragment } from 'preact';
import { formatNumber, icon } from '@mortise/plugin-sdk';
import type { RepositoryButton } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** Fork, with the number of forks. */
export const forkButton: RepositoryButton = {
  key: 'fork',
  order: 30,
  render({ context, actor }, base) {
    if (!context.may('read', 'code')) return null;
    const { forkCount } = context.repository;
    const signedIn = actor.kind === 'user';
    return (
      <span class="BtnGroup d-flex">
        {signedIn ? (
          <a class="btn btn-sm BtnGroup-item" href={`${base}/fork`}>
            {icon('repo-forked')} {t('button.fork')}
          </a>
        ) : null}
        <a
          class="btn btn-sm BtnGroup-item"
          href={`${base}/forks`}
          aria-label={signedIn ? t('button.count', { count: forkCount }) : undefined}
        >
          {signedIn ? null : (
            <Fragment>
              {icon('repo-forked')} {t('button.forks')}{' '}
            </Fragment>
          )}
          {formatNumber(forkCount)}
        </a>
      </span>
    );
  },
};

/** A new repository from a template. */
export const templateButton: RepositoryButton = {
  key: 'template',
  order: 40,
  render: ({ context, actor }, base) =>
    context.may('read', 'code') && context.repository.isTemplate && actor.kind === 'user' ? (
      <a class="btn btn-sm btn-primary" href={`${base}/generate`}>
        {t('button.template')}
      </a>
    ) : null,
};
