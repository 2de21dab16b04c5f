import type { ComponentChildren, VNode } from 'preact';
import { icon, textOf, type Actor, type PageOptions, type Site, type Text, type WebPage } from '@mortise/plugin-sdk';
import type { RepositoryPages } from '@mortise/repositories/api';
import type { EditTarget } from '../services/target.js';
import { t } from '../texts/index.js';

type Action = '_edit' | '_new' | '_upload' | '_delete' | '_patch';
/** What is done with a commit, as the first part of its address. */
export type PickAction = '_revert' | '_cherry-pick';

const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Addresses and frames of the pages of this plugin. */
export class Frame {
  constructor(
    private readonly site: Site,
    private readonly pages: RepositoryPages,
  ) {}

  /** `/ada/wheel/_edit/main/docs/a.md` */
  action(target: EditTarget, action: Action, path = target.path): string {
    return `${this.#repositoryPath(target)}/${action}/${encode(target.branch)}${path ? `/${encode(path)}` : ''}`;
  }

  /** `/ada/wheel/_revert/0a1b…/main` */
  pick(target: EditTarget, action: PickAction, oid: string): string {
    return `${this.#repositoryPath(target)}/${action}/${oid}/${encode(target.branch)}`;
  }

  commit(target: EditTarget, oid: string): string {
    return `${this.#repositoryPath(target)}/commit/${oid}`;
  }

  /** The page that shows a file or folder. */
  source(target: EditTarget, path = target.path, branch = target.branch): string {
    const base = `${this.#repositoryPath(target)}/src/branch/${encode(branch)}`;
    return path ? `${base}/${encode(path)}` : base;
  }

  raw(target: EditTarget, path: string): string {
    return `${this.#repositoryPath(target)}/raw/branch/${encode(target.branch)}${path ? `/${encode(path)}` : ''}`;
  }

  /** Where somebody who made a new branch goes: what it changes. */
  compare(target: EditTarget, branch: string): string {
    return `${this.#repositoryPath(target)}/compare/${encode(target.branch)}...${encode(branch)}`;
  }

  page(target: EditTarget, actor: Actor, options: Omit<PageOptions, 'active'>): WebPage {
    return this.pages.page({ context: target.context, actor }, 'code', options);
  }

  #repositoryPath({ context: { repository } }: EditTarget): string {
    return this.site.path(`/${encodeURIComponent(repository.ownerName)}/${encodeURIComponent(repository.name)}`);
  }
}

/** Branch and folder that a form writes to, as links back. */
export function Crumbs({
  frame,
  target,
  children,
}: {
  frame: Frame;
  target: EditTarget;
  children?: ComponentChildren;
}): VNode {
  const parts = target.path.split('/').filter(Boolean);
  return (
    <nav class="f4 mb-3 wb-break-word" aria-label={t('crumbs')}>
      <span class="branch-name mr-2">
        {icon('git-branch')} {target.branch}
      </span>
      <a href={frame.source(target, '')}>{target.context.repository.name}</a>
      {parts.map((part, at) => (
        <>
          {' / '}
          <a href={frame.source(target, parts.slice(0, at + 1).join('/'))}>{part}</a>
        </>
      ))}
      {children}
    </nav>
  );
}

/** Why a form was refused; its texts are shown again. */
export const Refusal = ({ text }: { text?: Text | undefined }): VNode | null =>
  text ? (
    <div class="flash flash-error mb-3 editor-refusal" role="alert">
      {textOf(text)}
    </div>
  ) : null;
