import { Problem, type Actor } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { MarkupReference, ReferenceLink } from '@mortise/markup/api';
import type { RepositoryAccess } from '@mortise/repositories/api';

/** Ids of one text that are looked for: each is a question to git. */
const maxIds = 100;
const shown = 10;

interface Deps {
  readonly repositoryAccess: RepositoryAccess;
  readonly git: GitReader;
}

interface Written {
  readonly text: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly isElsewhere: boolean;
  /** One commit, or both ends of a range. */
  readonly ids: readonly string[];
  readonly dots: string;
}

/**
 * Ids of commits (`0123abc`), ranges of them (`0123abc...4567def`), also of other repositories (`ada/wheel@0123abc`).
 * They become links only where the commits are there and the reader may see them.
 */
export const commitReferences = ({ repositoryAccess, git }: Deps): MarkupReference => ({
  key: 'commit',
  pattern:
    /(?<![\w/.@#=-])(?:[\w.-]{1,100}\/[\w.-]{1,100}@)?[0-9a-f]{7,64}(?:\.{2,3}[0-9a-f]{7,64})?(?![\w/@-]|\.\w|\.\.)/g,
  async resolve(texts, { actor, repository }) {
    const byRepository = new Map<string, Written[]>();
    for (const one of texts.slice(0, maxIds).map((text) => read(text, repository)))
      if (one) byRepository.set(one.repository, [...(byRepository.get(one.repository) ?? []), one]);
    const links = await Promise.all(
      [...byRepository].map(([path, list]) => linksOf({ repositoryAccess, git }, actor, path, list)),
    );
    return new Map(links.flat());
  },
});

function read(text: string, here: string | undefined): Written | undefined {
  const at = text.lastIndexOf('@');
  const repository = at < 0 ? here : text.slice(0, at);
  const range = text.slice(at + 1);
  const dots = /\.{2,3}/.exec(range)?.[0] ?? '';
  if (!repository) return undefined;
  const isElsewhere = repository.toLowerCase() !== here?.toLowerCase();
  return { text, repository, isElsewhere, ids: dots ? range.split(dots) : [range], dots };
}

async function linksOf(
  { repositoryAccess, git }: Deps,
  actor: Actor,
  path: string,
  list: readonly Written[],
): Promise<[string, ReferenceLink][]> {
  const [owner = '', name = ''] = path.split('/');
  let repository;
  try {
    ({ repository } = await repositoryAccess.open({ actor, owner, name, unit: 'code', mode: 'read' }));
  } catch (error) {
    if (Problem.is(error)) return [];
    throw error;
  }
  const reader = git.open(repository.id);
  const whole = async (id: string) => {
    const oid = await reader.expand(id);
    return oid && (await reader.info(oid))?.type === 'commit' ? oid : undefined;
  };
  const repositoryPath = `/${repository.ownerName}/${repository.name}`;
  const links = await Promise.all(
    list.map(async ({ text, ids, dots, isElsewhere }): Promise<[string, ReferenceLink] | undefined> => {
      const oids = await Promise.all(ids.map(whole));
      if (oids.includes(undefined)) return undefined;
      const href = dots ? `${repositoryPath}/compare/${oids.join(dots)}` : `${repositoryPath}/commit/${oids[0]}`;
      const before = isElsewhere ? `${repositoryPath.slice(1)}@` : '';
      return [text, { href, label: before + ids.map((id) => id.slice(0, shown)).join(dots), isCode: true }];
    }),
  );
  return links.filter((link) => link !== undefined);
}
