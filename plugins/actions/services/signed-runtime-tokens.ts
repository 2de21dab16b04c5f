import type { RuntimeClaims, RuntimeTokens } from '../contract/runtime-tokens.js';

/** Loaded with the first token. */
const jose = () => import('jose');
const hour = 3_600_000;
/** Of cache scopes, as the clients know it: 1 reads, 2 writes. */
const write = 2;

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

/** Nothing of a token is stored: it is good while its task runs, and never longer than any task may. */
export class SignedRuntimeTokens implements RuntimeTokens {
  constructor(
    private readonly secret: Buffer,
    /** Milliseconds that a task may run. */
    private readonly longestTask: number,
  ) {}

  async issue({ taskId, runId, jobId }: RuntimeClaims): Promise<string> {
    const { SignJWT } = await jose();
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({
      scp: `Actions.Results:${runId}:${jobId}`,
      TaskID: taskId,
      RunID: runId,
      JobID: jobId,
      ac: JSON.stringify([{ Scope: '', Permission: write }]),
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setNotBefore(now)
      .setExpirationTime(now + Math.ceil((hour + this.longestTask) / 1000))
      .sign(this.secret);
  }

  async read(token: string): Promise<RuntimeClaims | undefined> {
    if (token.length > 4096 || token.split('.').length !== 3) return undefined;
    const { jwtVerify } = await jose();
    try {
      const { payload } = await jwtVerify(token, this.secret, {
        algorithms: ['HS256'],
        requiredClaims: ['exp', 'nbf'],
      });
      const { TaskID: taskId, RunID: runId, JobID: jobId } = payload;
      return isId(taskId) && isId(runId) && isId(jobId) ? { taskId, runId, jobId } : undefined;
    } catch {
      return undefined;
    }
  }
}
