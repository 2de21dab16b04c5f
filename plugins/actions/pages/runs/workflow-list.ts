import type { Repository, Repositories } from '@mortise/repositories/api';
import type { Scoped } from '../../services/runs/scoped.js';
import type { Switches } from '../../services/runs/switches.js';
import type { WorkflowPresenter } from '../../services/runs/workflow-records.js';
import type { WorkflowFile, WorkflowFiles } from '../../services/runs/workflows.js';
import { problemText, type InputDefinition } from '../../workflow/index.js';
import type { RunReader } from './data.js';

/** A workflow at the side of the list of runs. */
export interface ShownWorkflow {
  readonly id: string;
  readonly name: string;
  /** 0: of the repository itself. */
  readonly source: number;
  /** `owner/name` of that source. */
  readonly sourceName?: string;
  /** It has runs, but no file any more. */
  readonly isGone?: true;
  readonly isOff: boolean;
  /** Everybody must run it. */
  readonly isRequired: boolean;
  /** What is wrong with its file; empty: nothing. */
  readonly error: string;
  /** What of it never works; empty: nothing. */
  readonly warnings: readonly string[];
  /** Undefined: nobody can ask for a run. */
  readonly inputs?: readonly InputDefinition[];
}

interface Deps {
  readonly repositories: Repositories;
  readonly reader: RunReader;
  readonly scoped: Scoped;
  readonly switches: Switches;
  readonly workflows: WorkflowPresenter;
  readonly files: WorkflowFiles;
}

interface Place {
  readonly repositoryId: number;
  readonly source: number;
  readonly sourceName?: string;
  readonly off: ReadonlySet<string>;
  readonly isRequired: boolean;
}

async function shown({ files, switches }: Deps, file: WorkflowFile, at: Place): Promise<ShownWorkflow> {
  const { name, error, warnings = [], inputs } = await files.facts(at.repositoryId, file);
  return {
    id: file.id,
    name: (error ? undefined : name) ?? file.id,
    source: at.source,
    ...(at.sourceName !== undefined && { sourceName: at.sourceName }),
    isOff: !at.isRequired && at.off.has(switches.key(at.source, file.id)),
    isRequired: at.isRequired,
    error: error ? problemText(error) : '',
    warnings: warnings.map(problemText),
    ...(inputs && { inputs }),
  };
}

/** Those of the default branch, those of each source, and those that have runs alone. */
export async function workflowsOf(deps: Deps, repository: Repository): Promise<readonly ShownWorkflow[]> {
  const { repositories, reader, scoped, switches, workflows } = deps;
  const off = await switches.of(repository.id);
  const place = { repositoryId: repository.id, source: 0, off, isRequired: false };
  const own = await Promise.all((await workflows.list(repository)).map((file) => shown(deps, file, place)));
  const rows = await scoped.rowsFor(repository);
  const sources = rows.length > 0 ? await scoped.sourcesFor(repository) : [];
  const names = await repositories.byIds(sources.map(({ repositoryId }) => repositoryId));
  const theirs = sources.flatMap(({ repositoryId, files }) => {
    const source = names.get(repositoryId);
    const sourceName = source ? `${source.ownerName}/${source.name}` : `${repositoryId}`;
    return files.map((file) => {
      const isRequired = rows.some(
        (row) => row.source_repo_id === repositoryId && row.workflow_configs[file.id]?.required,
      );
      return shown(deps, file, { repositoryId, source: repositoryId, sourceName, off, isRequired });
    });
  });
  const known = [...own, ...(await Promise.all(theirs))];
  const ids = new Set(known.map(({ id }) => id));
  const gone = (await reader.workflowsWithRuns(repository.id)).filter(({ id }) => !ids.has(id));
  return [
    ...known,
    ...gone.map((one): ShownWorkflow => ({
      ...one,
      isGone: true,
      isOff: false,
      isRequired: false,
      error: '',
      warnings: [],
    })),
  ];
}
