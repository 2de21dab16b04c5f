import type { Actor } from '@mortise/plugin-sdk';
import type { TimelineEntry, TimelineKind } from '@mortise/issues/api';
import type { Project, ProjectScope } from '../contract/projects.js';
import type { ProjectScopes } from './project-scopes.js';
import type { ProjectReader } from './project-reader.js';

/** Kinds of entries in the timelines of issues: on or off a board, and to another column. */
export const entryKinds = ['project', 'project_board'] as const;

/** What the entries keep. */
export interface ProjectEntryData {
  readonly projectId: number;
  readonly oldProjectId?: number;
  /** The board and the column, as they were called then. */
  readonly title: string;
  readonly column?: string;
  /** Event of the rule that did it. */
  readonly rule?: string;
}

export const projectOfEntry = ({ data }: TimelineEntry): number => {
  const { projectId, oldProjectId } = data as unknown as ProjectEntryData;
  return projectId || (oldProjectId ?? 0);
};

interface Deps {
  readonly reader: ProjectReader;
  readonly scopes: ProjectScopes;
}

/** By the id of the board: those of the entries that there are still, and that the actor may see. */
export async function visibleProjects(
  entries: readonly TimelineEntry[],
  actor: Actor,
  { reader, scopes }: Deps,
): Promise<Map<number, { readonly project: Project; readonly scope: ProjectScope } | 'hidden'>> {
  const projects = await reader.byIds(entries.map(projectOfEntry));
  const found = await scopes.ofProjects(actor, [...projects.values()]);
  return new Map(
    [...projects.values()].map((project) => {
      const scope = found.get(project.id);
      return [project.id, scope?.may('read') ? { project, scope } : 'hidden'] as const;
    }),
  );
}

/** Entries of boards that the actor may not see are left out; of one that is gone its number stays. */
export const entryFields = (deps: Deps): Required<Pick<TimelineKind, 'fields'>> => ({
  async fields(entries, { actor }) {
    const boards = await visibleProjects(entries, actor, deps);
    return new Map(
      entries.map((entry) => {
        const { projectId, oldProjectId = 0 } = entry.data as unknown as ProjectEntryData;
        const isHidden = boards.get(projectOfEntry(entry)) === 'hidden';
        return [entry.id, isHidden ? null : { project_id: projectId, old_project_id: oldProjectId }];
      }),
    );
  },
});
