import type { Database, PointReader } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { JobStates } from '../../contract/runs.js';
import type { JobSecrets } from '../../contract/secrets.js';
import type { TaskContextEntry, TaskPayload } from '../../contract/tasks.js';
import { DeploymentRow } from '../../models/deployment.js';
import { JobPayloadRow } from '../../models/job-payload.js';
import type { ClaimedTask } from './task-claims.js';

/** Which task a runtime token speaks for. */
interface RuntimeClaims {
  readonly taskId: number;
  readonly runId: number;
  readonly jobId: number;
}

interface BuildDeps {
  readonly database: Database;
  readonly jobStates: JobStates;
  readonly repositories: Pick<Repositories, 'byId'>;
  readonly jobSecrets: JobSecrets;
  readonly runtimeTokens: { issue(claims: RuntimeClaims): Promise<string> };
  readonly additions: PointReader<TaskContextEntry>;
}

/** Puts together what a task brings to its runner. */
export class TaskBuilder {
  constructor(private readonly deps: BuildDeps) {}

  async build(claim: ClaimedTask): Promise<TaskPayload> {
    const { database, jobStates } = this.deps;
    const repository = await this.deps.repositories.byId(claim.repositoryId);
    // Never the secrets of somebody who got it since the job was taken.
    if (repository?.ownerId !== claim.ownerId) throw new Error(`repository ${claim.repositoryId} is gone`);
    const claims = { taskId: claim.taskId, runId: claim.runId, jobId: claim.jobId };
    // the gate has admitted the job to this environment
    const deployment = await database.query(DeploymentRow).findOne({ job_id: claim.jobId });
    const environmentId = deployment?.environment_id ?? 0;
    const [github, needs, payload, vars, secrets, runtimeToken, additions] = await Promise.all([
      jobStates.githubContext(claim.jobId),
      jobStates.needsOf(claim.jobId),
      database.query(JobPayloadRow).findById(claim.jobId),
      this.deps.jobSecrets.variablesOf(repository, environmentId),
      this.#secrets(claim, repository, environmentId),
      this.deps.runtimeTokens.issue(claims),
      Promise.all(this.deps.additions.list().map((one) => one.of(claim))),
    ]);
    if (!github || !payload) throw new Error(`job ${claim.jobId} is gone`);
    return {
      id: claim.taskId,
      workflow: payload.payload,
      context: {
        ...github,
        token: claim.token,
        gitea_runtime_token: runtimeToken,
        ...Object.assign({}, ...additions),
      },
      secrets: { ...secrets, GITHUB_TOKEN: claim.token, GITEA_TOKEN: claim.token },
      vars,
      needs,
    };
  }

  async #secrets(
    claim: ClaimedTask,
    repository: { id: number; ownerId: number },
    environmentId: number,
  ): Promise<Record<string, string>> {
    const { jobSecrets, jobStates } = this.deps;
    const allowed = await jobStates.secretsFor(claim.jobId);
    if (allowed === 'none') return {};
    const all = await jobSecrets.secretsOf(repository);
    const own = environmentId ? await jobSecrets.environmentSecretsOf(environmentId) : {};
    if (allowed === 'all') return { ...all, ...own };
    const given = Object.entries(allowed).flatMap(([name, source]) =>
      Object.hasOwn(all, source.toUpperCase()) ? [[name.toUpperCase(), all[source.toUpperCase()]!] as const] : [],
    );
    // those of its environment come to a called job whatever the call passes on
    return { ...Object.fromEntries(given), ...own };
  }
}
