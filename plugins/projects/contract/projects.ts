import { defineResource, defineService, type Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { FieldKind, FieldOption, FieldValue, ProjectView, RuleEvent } from './fields.js';
import type { AccessMode, Repository, RepositoryContext } from '@mortise/repositories/api';

/** Whose board it is: of a repository, of an organization, or of a user (PRJ-01). */
export const projectTypes = ['repository', 'organization', 'individual'] as const;
export type ProjectType = (typeof projectTypes)[number];

/** The columns that a board begins with (PRJ-02). */
export const projectTemplates = ['none', 'basic_kanban', 'bug_triage'] as const;
export type ProjectTemplate = (typeof projectTemplates)[number];

/** What cards show: words alone, or the pictures of the issue too. */
export const cardTypes = ['text_only', 'images_and_text'] as const;
export type CardType = (typeof cardTypes)[number];

/** One row of `project`. Times are milliseconds since 1970 UTC. */
export interface Project {
  readonly id: number;
  readonly type: ProjectType;
  /** 0: of an account. */
  readonly repositoryId: number;
  /** The organization or user; 0: of a repository. */
  readonly ownerId: number;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  readonly creatorId: number;
  readonly isClosed: boolean;
  readonly template: ProjectTemplate;
  readonly cardType: CardType;
  /** Grows with every change of the board, its columns and cards. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 0: open. */
  readonly closedAt: number;
}

export interface ProjectColumn {
  readonly id: number;
  readonly projectId: number;
  readonly title: string;
  /** `#rrggbb` in lower case; empty: none. */
  readonly color: string;
  /** Issues that are put on the board without saying where stand here. */
  readonly isDefault: boolean;
  /** -128 to 127; columns of the same number stand in the order in which they were made. */
  readonly sorting: number;
  /** How many cards the column should have at most; more are shown as too many, and not refused. 0: no limit. */
  readonly cardLimit: number;
  readonly creatorId: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An issue or a pull request on a board. */
export interface ProjectCard {
  readonly id: number;
  readonly projectId: number;
  readonly columnId: number;
  readonly issueId: number;
  readonly creatorId: number;
  /** Out of its column, with its values. */
  readonly isArchived: boolean;
  /** Cards of a column stand by this number, then by their ids. */
  readonly position: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Where boards belong: a repository, an organization or a user, and what the actor may do with the boards there. */
export interface ProjectScope {
  readonly type: ProjectType;
  /** The owner of the repository, or the account that the boards belong to. */
  readonly owner: Account;
  /** Of the type `repository`. */
  readonly repository?: Repository;
  /** Of the type `repository`: what the actor may do there. */
  readonly context?: RepositoryContext;
  /** `read`, `write` or more. */
  readonly mode: AccessMode;
  may(mode: AccessMode): boolean;
}

/** What routes of a board get as `resource`. */
export interface ProjectContext {
  readonly scope: ProjectScope;
  readonly project: Project;
}

/**
 * Where boards belong, resolved from `{owner}` and `{repo}`, from `{org}`, from `{username}` (also `{owner}` alone), or
 * without any of them the one who is signed in: 404 for what the actor may not see, 403 for what may be seen and not
 * done, 423 for writes to an archived repository. The mode of a route is `read` or `write`.
 */
export const projectScopeResource = defineResource<ProjectScope>('projects.scope');

/** The same with the board of `{id}` there. Where the path names no owner, that of the board. */
export const projectResource = defineResource<ProjectContext>('projects.project');

export interface NewProject {
  readonly title: string;
  readonly description?: string;
  readonly template?: ProjectTemplate;
  readonly cardType?: CardType;
  readonly isClosed?: boolean;
}

/** Whose a board is to be: of the repository, or else of the account. */
export interface ProjectOwner {
  readonly type: ProjectType;
  readonly owner: Pick<Account, 'id'>;
  readonly repository?: Pick<Repository, 'id'>;
}

/** A board as another site tells of it. */
export interface ImportedProject extends NewProject {
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** Of a closed one. */
  readonly closedAt?: number;
  readonly columns: readonly {
    readonly title: string;
    readonly color?: string;
    readonly isDefault?: boolean;
    readonly cardLimit?: number;
    /** Ids of issues and pull requests of the repository or account, in their order; an issue that is named again is passed over. */
    readonly issueIds: readonly number[];
    /** The same of those whose cards are archived. */
    readonly archivedIssueIds?: readonly number[];
  }[];
  /** In their order. */
  readonly fields?: readonly ImportedField[];
  readonly views?: readonly ImportedView[];
  /** At most one for each event. */
  readonly rules?: readonly {
    readonly event: RuleEvent;
    /** Which of the columns, from 0. */
    readonly column: number;
  }[];
}

export interface ImportedField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly options?: readonly Omit<FieldOption, 'id'>[];
  /** By the issues of the cards; of an option its title. */
  readonly values: readonly { readonly issueId: number; readonly value: FieldValue['value'] }[];
}

/** `sort` and `group` of the options name a field as `field:` and its name. */
export type ImportedView = Pick<ProjectView, 'title' | 'layout' | 'filter' | 'options' | 'isDefault'>;

/** Boards, for plugins that make them or read what issues stand on. Does not check permissions; callers must. */
export interface Projects {
  byId(id: number): Promise<Project | undefined>;
  /**
   * Makes a board with its columns and cards in the caller's transaction: without events, and without entries in the
   * timelines of the issues. Invalid where something in it goes beyond `projectLimits` or is no value of its field.
   */
  import(owner: ProjectOwner, project: ImportedProject, actor: Pick<Actor, 'id'>): Promise<Project>;
  /** Boards of a repository with all that they hold, in their order; for exports. */
  export(repositoryId: number): Promise<readonly (ImportedProject & { readonly id: number })[]>;
}
export const projects = defineService<Projects>('projects.projects');
