import { Fragment } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { RepositoryButton } from '@mortise/repositories/api';

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
            {icon('repo-forked')} Fork
          </a>
        ) : null}
        <a
          class="btn btn-sm BtnGroup-item"
          href={`${base}/forks`}
          aria-label={`${forkCount} ${forkCount === 1 ? 'fork' : 'forks'}`}
        >
          {signedIn ? null : <Fragment>{icon('repo-forked')} Forks </Fragment>}
          {forkCount}
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
        Use this template
      </a>
    ) : null,
};
