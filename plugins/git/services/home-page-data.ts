/** Answers about one commit that the home page of a repository needs and git takes long to find, kept between starts. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface HomePageData {
  readonly commit: string;
  /** Commits that lead to it. */
  readonly count: number;
  readonly languages: Readonly<Record<string, number>>;
  /** Of the root: name → the last commit that touched it. */
  readonly lastCommits: Readonly<Record<string, string>>;
}

const homePageFile = 'mortise-home';
/** Raised when any of the answers is found otherwise than before. */
const format = 1;
/** More names are not worth a file that is read at once. */
const maxNames = 2_000;

/** Undefined: not kept, or of another commit. */
export async function readHomePageData(folder: string, commit: string): Promise<HomePageData | undefined> {
  try {
    const cached = JSON.parse(await readFile(join(folder, homePageFile), 'utf8')) as HomePageData & { format: number };
    return cached.format === format && cached.commit === commit ? cached : undefined;
  } catch {
    return undefined;
  }
}

/** Whole or not at all. What cannot be written is found again after the next start. */
export async function storeHomePageData(folder: string, answers: HomePageData): Promise<void> {
  if (Object.keys(answers.lastCommits).length > maxNames) return;
  const temporary = join(folder, `${homePageFile}.${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(temporary, JSON.stringify({ format, ...answers }));
    await rename(temporary, join(folder, homePageFile));
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}
