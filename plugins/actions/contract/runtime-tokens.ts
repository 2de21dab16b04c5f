import { defineService } from '@mortise/plugin-sdk';

/** Which task a runtime token speaks for. */
export interface RuntimeClaims {
  readonly taskId: number;
  readonly runId: number;
  readonly jobId: number;
}

/** Tokens by which the programs of a job reach artifacts, caches and summaries: JWT with HS256, another for each task. */
export interface RuntimeTokens {
  issue(claims: RuntimeClaims): Promise<string>;
  /** Undefined: not from here, changed, or over. Whether the task still runs is another question (`taskIdentities`). */
  read(token: string): Promise<RuntimeClaims | undefined>;
}
export const runtimeTokens = defineService<RuntimeTokens>('actions.runtimeTokens');
