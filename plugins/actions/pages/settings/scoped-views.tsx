import type { VNode } from 'preact';
import { Blankslate, CheckField, Csrf, icon, PostButton, SearchBox, Section, TextField } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import type { ScopedPreview } from '../../services/runs/scoped-previews.js';
import { t } from '../../texts/index.js';

export interface ScopedSourceFiles {
  readonly repository: Repository;
  readonly files: readonly ScopedPreview[];
}

interface Frame {
  readonly base: string;
}

const hrefOf = (home: string, branch: string, path: string): string =>
  `${home}/src/branch/${[...branch.split('/'), ...path.split('/')].map(encodeURIComponent).join('/')}`;

interface WorkflowProps {
  readonly sourceId: number;
  readonly file: ScopedPreview;
  readonly href: string;
}

/** One file: what its runs post, and whether merges wait for that. */
function Workflow({ sourceId, file, href }: WorkflowProps): VNode {
  const { id, name, path, config, contexts, error } = file;
  const field = `scoped-${sourceId}-${id}`;
  return (
    <li class="Box-row">
      <input type="hidden" name="workflow_ids" value={id} />
      <div class="wb-break-word">
        <strong>{path ? <a href={href}>{name}</a> : name}</strong>{' '}
        {name === id ? null : <span class="color-fg-muted text-mono f6">{id}</span>}
      </div>
      {path ? null : (
        <p class="color-fg-attention mb-0">
          {icon('alert')} {t('scoped.gone')}
        </p>
      )}
      {error ? (
        <p class="color-fg-danger wb-break-word mb-0">
          {icon('alert')} {error}
        </p>
      ) : null}
      {path && !error && contexts.length === 0 ? (
        <p class="color-fg-attention mb-0">
          {icon('alert')} {t('scoped.postsNone')}
        </p>
      ) : null}
      {contexts.length > 0 ? (
        <div class="mt-1">
          <span class="color-fg-muted f6">{t('scoped.contexts')}</span>
          <ul class="list-style-none text-mono f6 wb-break-word">
            {contexts.map((context) => (
              <li key={context}>{context}</li>
            ))}
          </ul>
        </div>
      ) : null}
      <CheckField
        id={`${field}-required`}
        name="required_workflow_ids"
        value={id}
        label={t('scoped.required', { name: id })}
        checked={config.required}
      />
      <TextField
        id={`${field}-patterns`}
        input={`required_patterns[${id}]`}
        name={`required_patterns[${id}]`}
        label={t('scoped.patterns', { name: id })}
        note={t('scoped.patternsNote')}
        lines={2}
        mono
        value={config.patterns.join('\n')}
      />
    </li>
  );
}

const pathOf = ({ ownerName, name }: Repository): string => `${ownerName}/${name}`;

/** A source with its files, and one form for what is required of them. */
function ScopedSource({ base, home, repository, files }: Frame & ScopedSourceFiles & { home: string }): VNode {
  const path = pathOf(repository);
  return (
    <Section title={path}>
      <div class="d-flex flex-wrap flex-items-center gap-2 mb-2">
        <a class="flex-auto wb-break-word" href={home}>
          {icon('repo')} {path}
        </a>
        <PostButton
          action={`${base}/remove`}
          fields={{ repo_id: String(repository.id) }}
          danger
          label={t('scoped.removeOf', { name: path })}
          confirm={t('scoped.removeConfirm', { name: path })}
        >
          {t('scoped.remove')}
        </PostButton>
      </div>
      {files.length === 0 ? (
        <p class="color-fg-attention">
          {icon('alert')} {t('scoped.noFiles', { branch: repository.defaultBranch })}
        </p>
      ) : (
        <form method="post" action={`${base}/required`}>
          <Csrf />
          <input type="hidden" name="repo_id" value={repository.id} />
          <ul class="Box list-style-none mb-3">
            {files.map((file) => (
              <Workflow
                key={file.id}
                sourceId={repository.id}
                file={file}
                href={hrefOf(home, repository.defaultBranch, file.path)}
              />
            ))}
          </ul>
          <button class="btn btn-primary" type="submit" aria-label={t('scoped.saveOf', { name: path })}>
            {t('action.save')}
          </button>
        </form>
      )}
    </Section>
  );
}

interface AddProps extends Frame {
  /** What was searched; empty: nothing. */
  readonly text: string;
  /** A name that was refused. */
  readonly name: string;
  readonly isSite: boolean;
  readonly found: readonly Repository[];
}

/** By its name, or out of a search. */
function AddSource({ base, text, name, isSite, found }: AddProps): VNode {
  return (
    <Section title={t('scoped.add')}>
      <SearchBox value={text} label={t('scoped.search')} />
      {text && found.length === 0 ? <p class="color-fg-muted">{t('scoped.notFound')}</p> : null}
      {found.length > 0 ? (
        <ul class="Box list-style-none mb-3">
          {found.map((one) => {
            const path = pathOf(one);
            return (
              <li key={one.id} class="Box-row d-flex flex-wrap flex-items-center gap-2">
                <span class="flex-auto wb-break-word">
                  {icon(one.isPrivate ? 'lock' : 'repo')} {path}
                </span>
                <PostButton
                  action={`${base}/add`}
                  fields={{ repo_name: path }}
                  label={t('scoped.addOf', { name: path })}
                >
                  {t('scoped.addOne')}
                </PostButton>
              </li>
            );
          })}
        </ul>
      ) : null}
      <form method="post" action={`${base}/add`}>
        <Csrf />
        <TextField
          name="repo_name"
          label={t('scoped.repository')}
          note={t(isSite ? 'scoped.repositoryNoteSite' : 'scoped.repositoryNote')}
          value={name}
          required
          maxLength={255}
          autocapitalize="none"
          spellcheck={false}
        />
        <button class="btn" type="submit">
          {t('scoped.addOne')}
        </button>
      </form>
    </Section>
  );
}

interface ListProps extends AddProps {
  readonly sources: readonly ScopedSourceFiles[];
  readonly homeOf: (repository: Repository) => string;
}

export const ScopedList = ({ sources, homeOf, ...add }: ListProps): VNode => (
  <>
    <p class="color-fg-muted">{t(add.isSite ? 'scoped.noteSite' : 'scoped.note')}</p>
    {sources.length === 0 ? <Blankslate icon="play" title={t('scoped.none')} /> : null}
    {sources.map(({ repository, files }) => (
      <ScopedSource key={repository.id} base={add.base} home={homeOf(repository)} {...{ repository, files }} />
    ))}
    <AddSource {...add} />
  </>
);
