import type { Repository } from '@mortise/repositories/api';
import { inputTexts, type Value } from '../../workflow/index.js';
import type { RunRow } from '../../models/run.js';

export interface GithubContextInput {
  readonly run: Pick<
    RunRow,
    'id' | 'number' | 'ref' | 'commit_sha' | 'workflow_id' | 'workflow_commit_sha' | 'is_scoped_run' | 'trigger_event'
  >;
  readonly attempt: number;
  readonly repository: Repository;
  readonly htmlUrl: string;
  readonly rootUrl: string;
  readonly defaultActionsUrl: string;
  readonly actor: string;
  readonly triggeringActor: string;
  /** What started it, as webhooks tell it. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly jobId?: string;
  /** Of a job of a called workflow: what it was called with. */
  readonly inputs?: Readonly<Record<string, Value>>;
}

interface PullBranches {
  readonly head?: { readonly ref?: string };
  readonly base?: { readonly ref?: string; readonly sha?: string };
}

/** The short name, and what kind of thing it names. */
export function splitRef(ref: string): { name: string; type: '' | 'branch' | 'tag' | 'commit' } {
  if (ref.startsWith('refs/heads/')) return { name: ref.slice(11), type: 'branch' };
  if (ref.startsWith('refs/tags/')) return { name: ref.slice(10), type: 'tag' };
  const pull = /^refs\/pull\/(\d+)\//.exec(ref);
  if (pull) return { name: pull[1]!, type: '' };
  return { name: ref, type: /^[0-9a-f]{40,64}$/.test(ref) ? 'commit' : '' };
}

/** Section 1.6 of the protocol, without what only the runner's task has. */
export function githubContext(input: GithubContextInput): Readonly<Record<string, Value>> {
  const { run, repository, payload, inputs } = input;
  const isPull = run.trigger_event.startsWith('pull_request');
  const pull = (isPull ? payload.pull_request : undefined) as PullBranches | undefined;
  const ofBase = run.trigger_event === 'pull_request_target' && pull?.base?.ref;
  // it runs what the base says, on the base
  const ref = ofBase ? `refs/heads/${ofBase}` : run.ref;
  const sha = ofBase ? (run.is_scoped_run ? (pull.base?.sha ?? '') : run.workflow_commit_sha) : run.commit_sha;
  const { name, type } = splitRef(ref);
  const event = inputs ? { ...payload, inputs: inputTexts(inputs) } : payload;
  return {
    action: '',
    action_path: '',
    action_ref: '',
    action_repository: '',
    action_status: '',
    actor: input.actor,
    triggering_actor: input.triggeringActor,
    api_url: `${input.rootUrl}/api/v1`,
    base_ref: pull?.base?.ref ?? '',
    env: '',
    event: event as Value,
    event_name: inputs ? 'workflow_call' : run.trigger_event,
    event_path: '',
    graphql_url: '',
    head_ref: pull?.head?.ref ?? '',
    job: input.jobId ?? '',
    path: '',
    ref,
    ref_name: name,
    ref_protected: false,
    ref_type: type,
    repository: `${repository.ownerName}/${repository.name}`,
    repository_owner: repository.ownerName,
    repositoryUrl: input.htmlUrl,
    retention_days: '',
    run_attempt: String(input.attempt),
    run_id: String(run.id),
    run_number: String(run.number),
    secret_source: 'Actions',
    server_url: `${input.rootUrl}/`,
    sha,
    workflow: run.workflow_id,
    workspace: '',
    gitea_default_actions_url: input.defaultActionsUrl,
  };
}
