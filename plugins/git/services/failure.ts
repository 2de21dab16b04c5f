/** A git command that ended badly; services translate those that users can cause. */
export class GitFailure extends Error {
  constructor(
    readonly command: string,
    readonly code: number,
    readonly stderr: string,
  ) {
    super(`git ${command} failed with ${code}: ${stderr.slice(0, 2000)}`, { cause: diskFailure(stderr) });
    this.name = 'GitFailure';
  }
}

/** simple-git wraps what its commands throw in an error of its own, and keeps only the words. */
export function failureOf(error: unknown): GitFailure | undefined {
  if (error instanceof GitFailure) return error;
  const [, code, stderr = ''] =
    /^GitFailure: git porcelain failed with (-?\d+): (.*)$/s.exec(String((error as Error)?.message)) ?? [];
  return code === undefined ? undefined : new GitFailure('porcelain', Number(code), stderr);
}

/** What the system said to git about the disk, as the error that this process itself would have met. */
function diskFailure(stderr: string): NodeJS.ErrnoException | undefined {
  const [, said] = /(No space left on device|Disk quota exceeded|Read-only file system)/.exec(stderr) ?? [];
  if (!said) return undefined;
  const code = { N: 'ENOSPC', D: 'EDQUOT', R: 'EROFS' }[said[0]!];
  return Object.assign(new Error(said), { code, syscall: 'write' });
}
