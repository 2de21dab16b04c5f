import type { Cache, MemoryCache } from '@mortise/plugin-sdk';
import type { GitReader, GitRepository } from '@mortise/git/api';
import { limits, type InputDefinition, type ParsedWorkflow, type Problem } from '../../workflow/index.js';
import type { WorkflowWorkers } from './workflow-workers.js';

/** A file of the folder of workflows. */
export interface WorkflowFile {
  /** Path below the folder: what workflows are known by. */
  readonly id: string;
  readonly path: string;
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
  /** The files before it are as large as a folder may be: it is not read. */
  readonly isBeyond?: true;
}

/** What lists tell of a workflow. */
interface WorkflowSummary {
  readonly name?: string;
  /** Why it starts nothing. */
  readonly error?: Problem;
  /** What of it never works, though the rest does, such as a cron line that cannot be; without an error. */
  readonly warnings?: readonly Problem[];
  /** Keys of `on:`. */
  readonly events: readonly string[];
  /** Of `workflow_dispatch`; undefined without it. */
  readonly inputs?: readonly InputDefinition[];
}

/** Entries of a folder read at most. */
const maxEntries = 500;
/** Most workflows of a folder; the rest is ignored. */
const maxFiles = 100;
/** Warnings of one file that pages show. */
const maxWarnings = 10;
/** Bytes of all workflows of a folder: each event has them all read. */
const maxBytes = 2 << 20;

/** Reads workflows from commits, and caches what it read. */
export class WorkflowFiles {
  readonly #lists: MemoryCache<readonly WorkflowFile[]>;
  readonly #parsed: MemoryCache<ParsedWorkflow>;
  readonly #summaries: MemoryCache<WorkflowSummary>;

  constructor(
    private readonly gitReader: GitReader,
    cache: Cache,
    private readonly workers: Pick<WorkflowWorkers, 'parse'>,
  ) {
    this.#lists = cache.memory('actions.workflow-lists');
    this.#parsed = cache.memory('actions.workflows');
    this.#summaries = cache.memory('actions.workflow-facts');
  }

  /** Those of the first of the folders that the commit has; none of them: no file. */
  async list(repositoryId: number, commit: string, folders: readonly string[]): Promise<readonly WorkflowFile[]> {
    if (!commit) return [];
    return this.#lists.load(`${repositoryId} ${commit} ${folders.join(' ')}`, () =>
      this.#read(this.gitReader.open(repositoryId), commit, folders),
    );
  }

  async #read(git: GitRepository, commit: string, folders: readonly string[]): Promise<readonly WorkflowFile[]> {
    for (const folder of folders) {
      const entry = await git.entry(commit, folder);
      if (entry?.type !== 'tree') continue;
      const { entries } = await git.treeRecursive(commit, { path: folder, limit: maxEntries });
      let left = maxBytes;
      return entries
        .filter(({ type, mode, path }) => type === 'blob' && mode !== '120000' && /\.ya?ml$/.test(path))
        .slice(0, maxFiles)
        .map(({ path, oid, size = 0 }) => {
          const whole = path.startsWith(`${folder}/`) ? path : `${folder}/${path}`;
          left -= size;
          return { id: whole.slice(folder.length + 1), path: whole, oid, size, ...(left < 0 && { isBeyond: true }) };
        });
    }
    return [];
  }

  async find(
    repositoryId: number,
    commit: string,
    folders: readonly string[],
    id: string,
  ): Promise<WorkflowFile | undefined> {
    return (await this.list(repositoryId, commit, folders)).find((file) => file.id === id);
  }

  /** What the file says; one that is too large has a problem. */
  async parse(repositoryId: number, file: WorkflowFile): Promise<ParsedWorkflow> {
    const broken = (message: string): ParsedWorkflow => ({
      problems: [{ file: file.path, line: 1, column: 1, severity: 'error', message }],
    });
    if (file.size > limits.fileBytes) return broken('the file is larger than 1 MiB');
    if (file.isBeyond) return broken('the workflows of the folder are larger than 2 MiB together');
    return this.#parsed.load(
      `${file.oid} ${file.path}`,
      async () => this.workers.parse(repositoryId, await this.content(repositoryId, file.oid), file.path),
      { size: () => file.size * 4 + 1000 },
    );
  }

  /** Small, and so cached longer than whole workflows. */
  async summary(repositoryId: number, file: WorkflowFile): Promise<WorkflowSummary> {
    return this.#summaries.load(
      `${file.oid} ${file.path} ${file.isBeyond ? 1 : 0}`,
      async () => {
        const { name, workflow, problems } = await this.parse(repositoryId, file);
        const error = problems.find(({ severity }) => severity === 'error');
        const warnings = error ? [] : problems.slice(0, maxWarnings);
        const dispatch = workflow?.on.find(({ event }) => event === 'workflow_dispatch');
        return {
          ...(name === undefined ? {} : { name }),
          ...(error && { error }),
          ...(warnings.length > 0 && { warnings }),
          events: (workflow?.on ?? []).map(({ event }) => event),
          ...(dispatch && { inputs: dispatch.inputs ?? [] }),
        };
      },
      { size: (summary) => JSON.stringify(summary).length * 2 + 500 },
    );
  }

  content(repositoryId: number, oid: string): Promise<Buffer> {
    return this.gitReader.open(repositoryId).blob(oid, limits.fileBytes);
  }
}
