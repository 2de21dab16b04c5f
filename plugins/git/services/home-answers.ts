/** Answers about one commit that the home page of a repository needs and git takes long to find, kept between starts. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface HomeAnswers {
  readonly commit: string;
  /** Commits that lead to it. */
  readonly count: number;
  readonly languages: Readonly<Record<string, number>>;
  /** Of the root: name → the last commit that touched it. */
  readonly lastCommits: Readonly<Record<string, string>>;
}

export const homeFile = 'mortise-home';
/** Raised when any of the answers is found otherwise than before. */
const format = 1;
/** More names are not worth a file that is read at once. */
const maxNames = 2_000;

/** Undefined: not kept, or of another commit. */
export async function readHomeAnswers(folder: string, commit: string): Promise<HomeAnswers | undefined> {
  try {
    const kept = JSON.parse(await readFile(join(folder, homeFile), 'utf8')) as HomeAnswers & { format: number };
    return kept.format === format && kept.commit === commit ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Whole or not at all. What cannot be written is found again after the next start. */
export async function keepHomeAnswers(folder: string, answers: HomeAnswers): Promise<void> {
  if (Object.keys(answers.lastCommits).length > maxNames) return;
  const temporary = join(folder, `${homeFile}.${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(temporary, JSON.stringify({ format, ...answers }));
    await rename(temporary, join(folder, homeFile));
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}
