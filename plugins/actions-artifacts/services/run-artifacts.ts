import type { Database } from '@mortise/plugin-sdk';
import type { Artifact, RunArtifacts, StepSummary } from '../contract/artifacts.js';
import { ArtifactRow, artifactStatus } from '../models/artifact.js';
import type { ArtifactService } from './artifacts.js';
import { maxSummary, type StepSummaries } from './step-summaries.js';

/** Artifacts and summaries, for the pages of runs. */
export class ArtifactsOfRuns implements RunArtifacts {
  constructor(
    private readonly database: Database,
    private readonly artifacts: ArtifactService,
    private readonly steps: StepSummaries,
  ) {}

  async ofAttempt(runId: number, attemptId: number): Promise<Artifact[]> {
    const rows = await this.database
      .query(ArtifactRow)
      .where({ run_id: runId, run_attempt_id: attemptId })
      .whereNot('status', artifactStatus.pending)
      .orderBy(['name', 'id']);
    const byId = new Map<string, Artifact>();
    for (const row of rows) {
      const before = byId.get(row.name);
      byId.set(row.name, {
        id: before?.id ?? row.id,
        runId,
        attemptId,
        repositoryId: row.repository_id,
        name: row.name,
        size: (before?.size ?? 0) + Number(row.size),
        isExpired: (before?.isExpired ?? true) && row.status === artifactStatus.expired,
        createdAt: before?.createdAt ?? Number(row.created_at),
        expiresAt: Number(row.expires_at),
      });
    }
    return [...byId.values()];
  }

  summaries(jobIds: readonly number[]): Promise<StepSummary[]> {
    return this.steps.ofJobs(jobIds, maxSummary);
  }

  async remove(runId: number, attemptId: number, name: string): Promise<boolean> {
    const rows = await this.database
      .query(ArtifactRow)
      .where({ run_id: runId, run_attempt_id: attemptId, name })
      .whereNot('status', artifactStatus.pending);
    await this.artifacts.remove(rows);
    return rows.length > 0;
  }
}
