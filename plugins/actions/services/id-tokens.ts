import { randomUUID } from 'node:crypto';
import { Forbidden, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import type { IdTokenRequests } from '../contract/id-tokens.js';
import type { RuntimeTask } from '../contract/runtime-tasks.js';
import type { RuntimeClaims, RuntimeTokens } from '../contract/runtime-tokens.js';
import type { IdKeys } from './id-keys.js';

export const idTokenPath = '/api/actions/_apis/id-token';
const issuerPath = '/api/actions';
/** Seconds that a token is good: it is shown at once. */
const lifetime = 600;

interface IdTokenDeps {
  readonly site: Site;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly tokens: RuntimeTokens;
  readonly keys: IdKeys;
}

const typeOf = (ref: string): string =>
  ref.startsWith('refs/heads/') ? 'branch' : ref.startsWith('refs/tags/') ? 'tag' : '';

/** The branch of an end of the pull request that started the run. */
function endOf(payload: Readonly<Record<string, unknown>>, end: 'head' | 'base'): string {
  const pull = payload.pull_request as Record<string, { ref?: unknown } | undefined> | undefined;
  const ref = pull?.[end]?.ref;
  return typeof ref === 'string' ? ref : '';
}

/** Says of a running job whose it is, signed, for services that trust this site (OpenID Connect Core, 2). */
export class IdTokens implements IdTokenRequests {
  constructor(private readonly deps: IdTokenDeps) {}

  get issuer(): string {
    return this.deps.site.url(issuerPath);
  }

  async requestOf(claims: RuntimeClaims): Promise<{ readonly url: string; readonly token: string }> {
    // clients append `&audience=…`
    return { url: this.deps.site.url(`${idTokenPath}?api-version=2.0`), token: await this.deps.tokens.issue(claims) };
  }

  async issue(task: RuntimeTask, audience: string | undefined): Promise<string> {
    if (!task.mayIdentify) throw Forbidden('The permission "id-token: write" is required.');
    const { accounts, keys, repositories, site } = this.deps;
    const known = await repositories.byIds([task.repositoryId, task.workflowRepositoryId]);
    const repository = known.get(task.repositoryId);
    if (!repository) throw Forbidden('The repository is gone.');
    const source = known.get(task.workflowRepositoryId) ?? repository;
    const actor = await accounts.byId(task.actorId);
    const payload = await task.payload();
    const name = `${repository.ownerName}/${repository.name}`;
    const isPull = task.event === 'pull_request' || task.event === 'pull_request_target';
    const workflowRef = `${source.ownerName}/${source.name}/${task.workflowPath}@${task.ref}`;
    const now = Math.floor(Date.now() / 1000);
    return keys.sign({
      jti: randomUUID(),
      iss: this.issuer,
      sub: `repo:${name}:${isPull ? 'pull_request' : `ref:${task.ref}`}`,
      aud: audience || site.url(`/${repository.ownerName}`),
      iat: now,
      nbf: now,
      exp: now + lifetime,
      ref: task.ref,
      ref_type: typeOf(task.ref),
      ref_protected: 'false',
      sha: task.commit,
      repository: name,
      repository_id: String(repository.id),
      repository_owner: repository.ownerName,
      repository_owner_id: String(repository.ownerId),
      repository_visibility: repository.isPrivate ? 'private' : 'public',
      actor: actor?.name ?? '',
      actor_id: String(task.actorId),
      event_name: task.event,
      head_ref: isPull ? endOf(payload, 'head') : '',
      base_ref: isPull ? endOf(payload, 'base') : '',
      workflow: task.workflow,
      workflow_ref: workflowRef,
      workflow_sha: task.workflowCommit,
      job_workflow_ref: workflowRef,
      job_workflow_sha: task.workflowCommit,
      job: task.jobKey,
      run_id: String(task.runId),
      run_number: String(task.runNumber),
      run_attempt: String(task.attempt),
      runner_environment: 'self-hosted',
    });
  }
}
