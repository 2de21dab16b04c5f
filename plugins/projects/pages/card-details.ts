import type { Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Attachment } from '@mortise/attachments/api';
import type { Issue, IssueStyle, Label, Milestone } from '@mortise/issues/api';
import type { Repository } from '@mortise/repositories/api';
import type { ProjectCard } from '../contract/projects.js';
import type { PageDeps } from './frame.js';

/** What pages show of the issues of cards. */
export interface CardDetails {
  readonly issues: ReadonlyMap<number, Issue>;
  readonly labels: ReadonlyMap<number, readonly Label[]>;
  readonly assignees: ReadonlyMap<number, readonly Account[]>;
  readonly milestones: ReadonlyMap<number, Milestone>;
  readonly repositories: ReadonlyMap<number, Repository>;
  readonly styles: ReadonlyMap<number, () => IssueStyle>;
  readonly images: ReadonlyMap<number, readonly Attachment[]>;
}

/** The kind of attachments that are files of issues. */
const issueFiles = 'issues';
const maxImages = 3;
const isImage = ({ name }: Attachment) => /\.(?:png|jpe?g|gif|webp|avif)$/i.test(name);

/** One batch of queries however many cards; `known`: issues that were read already. */
export async function readDetails(
  { services, attachments, rowProperties }: PageDeps,
  cards: readonly Pick<ProjectCard, 'issueId'>[],
  actor: Actor,
  { withImages = false, known = [] }: { readonly withImages?: boolean; readonly known?: readonly Issue[] } = {},
): Promise<CardDetails> {
  const { accounts, issues: source, repositories } = services.deps;
  const knownById = new Map(known.map((issue) => [issue.id, issue]));
  const missing = cards.map(({ issueId }) => issueId).filter((id) => !knownById.has(id));
  const issues = new Map([...knownById, ...(missing.length ? await source.byIds(missing) : [])]);
  const all = [...issues.values()];
  const ids = all.map(({ id }) => id);
  const [labels, assigned, milestones, repositoriesById, propertyMaps, files] = await Promise.all([
    source.labels(ids),
    source.assignees(ids),
    source.milestones([...new Set(all.map(({ milestoneId }) => milestoneId).filter(Boolean))]),
    repositories.byIds([...new Set(all.map(({ repositoryId }) => repositoryId))]),
    Promise.all(rowProperties.list().map((one) => one.properties(all, actor))),
    withImages && ids.length ? attachments.list(issueFiles, ids) : new Map<number, Attachment[]>(),
  ]);
  const users = await accounts.byIds([...new Set([...assigned.values()].flat())]);
  const styles = new Map<number, () => IssueStyle>();
  for (const byIssue of propertyMaps) for (const [id, { style }] of byIssue) if (style) styles.set(id, style);
  return {
    issues,
    labels,
    assignees: new Map([...assigned].map(([id, of]) => [id, of.flatMap((userId) => users.get(userId) ?? [])])),
    milestones,
    repositories: repositoriesById,
    styles: styles,
    images: new Map([...files].map(([id, of]) => [id, of.filter(isImage).slice(0, maxImages)])),
  };
}
