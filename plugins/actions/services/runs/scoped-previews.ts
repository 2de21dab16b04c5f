import type { Repository } from '@mortise/repositories/api';
import type { ScopedConfig } from '../../models/scoped-source.js';
import { planJobs, WorkflowError, type Trigger, type Workflow } from '../../workflow/index.js';
import type { ScopedWorkflows } from './scoped-workflows.js';
import { scopePrefix, statusContext } from './run-notifier.js';
import type { WorkflowFile, WorkflowFiles } from './workflow-files.js';

/** A workflow of a source, with what is required of it. */
export interface ScopedPreview {
  /** File name below the folder. */
  readonly id: string;
  readonly name: string;
  /** Path in the source; empty: configured, but the file is gone. */
  readonly path: string;
  readonly config: ScopedConfig;
  /** Contexts of the statuses that its runs post, at most {@link maxContexts}; `*` stands for what a run decides. */
  readonly contexts: readonly string[];
  /** Why it starts nothing; empty: it can be read. */
  readonly error: string;
}

/** Contexts of one file that are shown. */
const maxContexts = 20;
const unset: ScopedConfig = { required: false, patterns: [] };

/** Runs of other events post no statuses. */
const postsStatuses = ({ event }: Trigger): boolean =>
  event === 'push' || event === 'release' || event.startsWith('pull_request');

/** Names of jobs as far as they are known before anything has happened. */
function jobNames(workflow: Workflow): readonly string[] {
  const open = (name: string) => name.replace(/\$\{\{.*?\}\}/gs, '*');
  if (workflow.jobs.every(({ name }) => !name?.includes('${{')))
    try {
      return planJobs(workflow, {}).map(({ name }) => name);
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
    }
  return workflow.jobs.map(({ id, name, strategy }) => {
    const own = open(name || id);
    return strategy?.matrix !== undefined && !name?.includes('${{') ? `${own} (*)` : own;
  });
}

/** Contexts that runs of the workflow post, each once. */
export function contextsOf(prefix: string, fallback: string, workflow: Workflow): readonly string[] {
  const names = jobNames(workflow);
  const found = workflow.on
    .filter(postsStatuses)
    .flatMap(({ event }) => names.map((name) => statusContext(prefix, workflow.name ?? fallback, name, event)));
  return [...new Set(found)].slice(0, maxContexts);
}

/** What a source brings to other repositories, those of its files that are gone but configured last. */
export class ScopedPreviews {
  constructor(private readonly deps: { readonly scoped: ScopedWorkflows; readonly files: WorkflowFiles }) {}

  async of(source: Repository, configs: Readonly<Record<string, ScopedConfig>>): Promise<readonly ScopedPreview[]> {
    const files = (await this.deps.scoped.filesOf(source.id))?.files ?? [];
    const shown = await Promise.all(files.map((file) => this.#preview(source, file, configs[file.id] ?? unset)));
    const gone = Object.entries(configs)
      .filter(([id]) => !files.some((file) => file.id === id))
      .map(([id, config]) => ({ id, name: id, path: '', config, contexts: [], error: '' }));
    return [...shown, ...gone];
  }

  async #preview(source: Repository, file: WorkflowFile, config: ScopedConfig): Promise<ScopedPreview> {
    const { workflow, name, problems } = await this.deps.files.parse(source.id, file);
    const error = problems.find(({ severity }) => severity === 'error');
    return {
      id: file.id,
      name: name ?? file.id,
      path: file.path,
      config,
      contexts: workflow ? contextsOf(scopePrefix(source, source.id), file.id, workflow) : [],
      error: error ? `${error.line}:${error.column}: ${error.message}` : '',
    };
  }
}
