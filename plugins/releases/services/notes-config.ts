import { Invalid, Joi, NotFound, Problem } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import { parseYaml } from '@mortise/issues/api';
import { t } from '../texts/index.js';

/** Names of labels and of authors, without regard to case. */
interface Exclusion {
  readonly labels: readonly string[];
  readonly authors: readonly string[];
}

/** How the merged pull requests of a release are sorted, and which of them are left out. */
export interface NotesConfig {
  readonly exclude: Exclusion;
  /** A pull request stands in the first category that fits; the label `*` fits all. */
  readonly categories: readonly {
    readonly title: string;
    readonly labels: readonly string[];
    readonly exclude: Exclusion;
  }[];
}

const names = Joi.array().items(Joi.string().max(255)).max(100).empty(null).default([]);
const exclusion = Joi.object<Exclusion>({ labels: names, authors: names })
  .empty(null)
  .default({ labels: [], authors: [] });
/** https://docs.github.com/en/repositories/releasing-projects-on-github/automatically-generated-release-notes */
const schema = Joi.object<{ readonly changelog: NotesConfig }>({
  changelog: Joi.object<NotesConfig>({
    exclude: exclusion,
    categories: Joi.array()
      .items(
        Joi.object({
          title: Joi.string().trim().max(255).required(),
          labels: names.min(1).required(),
          exclude: exclusion,
        }),
      )
      .max(100)
      .default([]),
  }).required(),
});

const none: NotesConfig = { exclude: { labels: [], authors: [] }, categories: [] };
const paths = ['.mortise', '.gitea', '.github'].flatMap((folder) => [
  `${folder}/release.yml`,
  `${folder}/release.yaml`,
]);
const maxBytes = 64 * 1024;

/** From the file at the path, or the first that the commit has of the usual ones; NotFound and Invalid name the file. */
export async function readNotesConfig(git: GitRepository, commit: string, path?: string): Promise<NotesConfig> {
  for (const candidate of path ? [path] : paths) {
    const entry = await git.entry(commit, candidate);
    if (entry?.type === 'blob' && entry.mode !== '120000')
      return parse(candidate, await read(git, entry.oid, candidate));
  }
  if (path) throw NotFound(t.later('error.notesConfigMissing', { path }));
  return none;
}

async function read(git: GitRepository, oid: string, path: string): Promise<string> {
  try {
    return (await git.blob(oid, maxBytes)).toString('utf8');
  } catch (error) {
    throw Problem.is(error) && error.code === 'too_large' ? invalid(path, 'it is too large') : error;
  }
}

function parse(path: string, text: string): NotesConfig {
  let data: unknown;
  try {
    data = parseYaml(text);
  } catch (error) {
    throw invalid(path, (error as Error).message);
  }
  if (data === null) return none;
  const { value, error } = schema.validate(data, { stripUnknown: true });
  if (error) throw invalid(path, error.message);
  return value.changelog;
}

const invalid = (path: string, reason: string) =>
  Invalid(t.later('error.notesConfig', { path, reason: reason.split('\n')[0]!.slice(0, 300) }));
