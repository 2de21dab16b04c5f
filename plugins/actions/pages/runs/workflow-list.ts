import type { Repository, Repositories } from '@mortise/repositories/api';
import type { ScopedWorkflows } from '../../services/runs/scoped-workflows.js';
import type { DisabledWorkflows } from '../../services/runs/disabled-workflows.js';
import type { WorkflowPresenter } from '../../services/runs/workflow-presenter.js';
import type { WorkflowFile, WorkflowFiles } from '../../services/runs/workflow-files.js';
import { problemText, type InputDefinition } from '../../workflow/index.js';
import type { RunReader } from './run-reader.js';

/** A workflow at the side of the list of runs. */
export interface WorkflowListItem {
  readonly id: string;
  readonly name: string;
  /** 0: of the repository itself. */
  readonly source: number;
  /** `owner/name` of that source. */
  readonly sourceName?: string;
  /** It has runs, but no file any more. */
  readonly isGone?: true;
  readonly isOff: boolean;
  /** Required in every repository. */
  readonly isRequired: boolean;
  /** What is wrong with its file; empty: nothing. */
  readonly error: string;
  /** What of it never works; empty: nothing. */
  readonly warnings: readonly string[];
  /** Undefined where it has no `workflow_dispatch`. */
  readonly inputs?: readonly InputDefinition[];
}

interface Deps {
  readonly repositories: Repositories;
  readonly reader: RunReader;
  readonly scoped: ScopedWorkflows;
  readonly disabledWorkflows: DisabledWorkflows;
  readonly workflows: WorkflowPresenter;
  readonly files: WorkflowFiles;
}

interface WorkflowSource {
  readonly repositoryId: number;
  readonly source: number;
  readonly sourceName?: string;
  readonly off: ReadonlySet<string>;
  readonly isRequired: boolean;
}

async function listItem(
  { files, disabledWorkflows }: Deps,
  file: WorkflowFile,
  at: WorkflowSource,
): Promise<WorkflowListItem> {
  const { name, error, warnings = [], inputs } = await files.summary(at.repositoryId, file);
  return {
    id: file.id,
    name: (error ? undefined : name) ?? file.id,
    source: at.source,
    ...(at.sourceName !== undefined && { sourceName: at.sourceName }),
    isOff: !at.isRequired && at.off.has(disabledWorkflows.key(at.source, file.id)),
    isRequired: at.isRequired,
    error: error ? problemText(error) : '',
    warnings: warnings.map(problemText),
    ...(inputs && { inputs }),
  };
}

/** Those of the default branch, those of each source, and those that have runs alone. */
export async function workflowsOf(deps: Deps, repository: Repository): Promise<readonly WorkflowListItem[]> {
  const { repositories, reader, scoped, disabledWorkflows, workflows } = deps;
  const off = await disabledWorkflows.of(repository.id);
  const place = { repositoryId: repository.id, source: 0, off, isRequired: false };
  const own = await Promise.all((await workflows.list(repository)).map((file) => listItem(deps, file, place)));
  const rows = await scoped.rowsFor(repository);
  const sources = rows.length > 0 ? await scoped.sourcesFor(repository) : [];
  const names = await repositories.byIds(sources.map(({ repositoryId }) => repositoryId));
  const scopedFiles = sources.flatMap(({ repositoryId, files }) => {
    const source = names.get(repositoryId);
    const sourceName = source ? `${source.ownerName}/${source.name}` : `${repositoryId}`;
    return files.map((file) => {
      const isRequired = rows.some(
        (row) => row.source_repo_id === repositoryId && row.workflow_configs[file.id]?.required,
      );
      return listItem(deps, file, { repositoryId, source: repositoryId, sourceName, off, isRequired });
    });
  });
  const known = [...own, ...(await Promise.all(scopedFiles))];
  const ids = new Set(known.map(({ id }) => id));
  const gone = (await reader.workflowsWithRuns(repository.id)).filter(({ id }) => !ids.has(id));
  return [
    ...known,
    ...gone.map((one): WorkflowListItem => ({
      ...one,
      isGone: true,
      isOff: false,
      isRequired: false,
      error: '',
      warnings: [],
    })),
  ];
}
