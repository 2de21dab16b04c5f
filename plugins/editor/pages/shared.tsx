import type { ComponentChildren, VNode } from 'preact';
import { icon, type Actor, type PageOptions, type Site, type WebPage } from '@mortise/plugin-sdk';
import type { RepositoryPages } from '@mortise/repositories/api';
import type { Visit } from '../services/visit.js';

export type Action = '_edit' | '_new' | '_upload' | '_delete' | '_patch';

const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Addresses and frames of the pages of this plugin. */
export class Frame {
  constructor(
    private readonly site: Site,
    private readonly pages: RepositoryPages,
  ) {}

  /** `/ada/wheel/_edit/main/docs/a.md` */
  action(visit: Visit, action: Action, path = visit.path): string {
    return `${this.#home(visit)}/${action}/${encode(visit.branch)}${path ? `/${encode(path)}` : ''}`;
  }

  /** The page that shows a file or folder. */
  source(visit: Visit, path = visit.path, branch = visit.branch): string {
    const place = `${this.#home(visit)}/src/branch/${encode(branch)}`;
    return path ? `${place}/${encode(path)}` : place;
  }

  raw(visit: Visit, path: string): string {
    return `${this.#home(visit)}/raw/branch/${encode(visit.branch)}${path ? `/${encode(path)}` : ''}`;
  }

  /** Where somebody who made a new branch goes: what it changes. */
  compare(visit: Visit, branch: string): string {
    return `${this.#home(visit)}/compare/${encode(visit.branch)}...${encode(branch)}`;
  }

  page(visit: Visit, actor: Actor, csrf: string, options: Omit<PageOptions, 'active'>): WebPage {
    return this.pages.page({ context: visit.context, actor, csrf }, 'code', options);
  }

  #home({ context: { repository } }: Visit): string {
    return this.site.path(`/${encodeURIComponent(repository.ownerName)}/${encodeURIComponent(repository.name)}`);
  }
}

/** Branch and folder that a form writes to, as links back. */
export function Crumbs({
  frame,
  visit,
  children,
}: {
  frame: Frame;
  visit: Visit;
  children?: ComponentChildren;
}): VNode {
  const parts = visit.path.split('/').filter(Boolean);
  return (
    <nav class="f4 mb-3 wb-break-word" aria-label="Place in the repository">
      <span class="branch-name mr-2">
        {icon('git-branch')} {visit.branch}
      </span>
      <a href={frame.source(visit, '')}>{visit.context.repository.name}</a>
      {parts.map((part, at) => (
        <>
          {' / '}
          <a href={frame.source(visit, parts.slice(0, at + 1).join('/'))}>{part}</a>
        </>
      ))}
      {children}
    </nav>
  );
}

/** Why a form was refused; its texts are shown again. */
export const Refusal = ({ text }: { text?: string | undefined }): VNode | null =>
  text ? (
    <div class="flash flash-error mb-3" role="alert" style="white-space: pre-wrap">
      {text}
    </div>
  ) : null;
