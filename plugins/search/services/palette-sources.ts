import { Problem, type Database, type PaletteSource, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { repositoryHome, type Repositories, type RepositoryAccess } from '@mortise/repositories/api';
import { FileRow } from '../models/indexed-file.js';
import { TreeRow } from '../models/indexed-tree.js';
import { encodedPath } from './file-address.js';
import { t } from '../texts/index.js';

/** Rows among which the best are chosen. */
const maxCandidates = 50;
/** Words by which paths are looked for. */
const maxWords = 5;

/** What is called so, then what begins so, then the rest in its order. */
const byName = <T>(items: readonly T[], nameOf: (item: T) => string, text: string): readonly T[] => {
  const lower = text.toLowerCase();
  const rank = (item: T) => {
    const name = nameOf(item).toLowerCase();
    return name === lower ? 0 : name.startsWith(lower) ? 1 : 2;
  };
  return [...items].sort((one, other) => rank(one) - rank(other));
};

/** Repositories by their names; before something was typed, those that somebody works on. */
export const repositoryPalette = ({
  repositories,
  site,
}: {
  repositories: Pick<Repositories, 'search'>;
  site: Site;
}): PaletteSource => ({
  key: 'repositories',
  label: t.later('repositories'),
  order: 10,
  async find({ text, actor }) {
    if (!text && actor.kind !== 'user') return [];
    const { items } = await repositories.search(
      {
        // a comma stands between alternatives
        ...(text ? { text: text.replaceAll(',', ' ') } : { accessibleTo: actor.id }),
        sort: 'updated',
        descending: true,
        limit: maxCandidates,
        offset: 0,
      },
      actor,
    );
    return byName(items, ({ ownerName, name }) => (text.includes('/') ? `${ownerName}/${name}` : name), text).map(
      (repository) => ({
        href: repositoryHome(site, repository),
        title: `${repository.ownerName}/${repository.name}`,
        icon: repository.isPrivate ? 'lock' : 'repo',
      }),
    );
  },
});

/** People and organizations by their names. */
export const accountPalette = ({
  accounts,
  site,
}: {
  accounts: Pick<Accounts, 'search'>;
  site: Site;
}): PaletteSource => ({
  key: 'people',
  label: t.later('people'),
  order: 20,
  async find({ text, actor }) {
    if (!text) return [];
    const { items } = await accounts.search({ text, visibleTo: actor, sort: 'name', limit: maxCandidates, offset: 0 });
    return byName(items, ({ name }) => name, text).map(({ kind, name, fullName }) => ({
      href: site.path(`/${name}`),
      title: name,
      detail: fullName,
      icon: kind === 'organization' ? 'organization' : 'person',
    }));
  },
});

interface FileDeps {
  readonly database: Database;
  readonly repositoryAccess: Pick<RepositoryAccess, 'open'>;
  readonly site: Site;
}

/** Files of the repository whose page is open, as the index has them: git is not asked. */
export const filePalette = ({ database, repositoryAccess, site }: FileDeps): PaletteSource => {
  const open = async (request: Parameters<RepositoryAccess['open']>[0]) => {
    try {
      return await repositoryAccess.open(request);
    } catch (error) {
      // the page is of no repository, or of one whose code the actor may not read
      if (Problem.is(error)) return undefined;
      throw error;
    }
  };
  return {
    key: 'files',
    label: t.later('files'),
    order: 30,
    async find({ text, actor, path }) {
      const [owner, name] = path.split('/').slice(1);
      const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);
      if (!owner || !name || words.length === 0) return [];
      const context = await open({ actor, owner, name, unit: 'code' });
      if (!context) return [];
      const { repository } = context;
      const query = database.query(FileRow).select('path', 'name', 'is_hidden').where('repository_id', repository.id);
      for (const word of words) void query.whereRaw('instr(lower(path), ?) > 0', [word]);
      const rows = await query.orderByRaw('is_hidden, length(path)').orderBy('id').limit(maxCandidates);
      const tree = await database.query(TreeRow).findById(repository.id);
      const base = `${repositoryHome(site, repository)}/src/branch/${encodedPath(tree?.branch || repository.defaultBranch)}`;
      const best = byName(rows, (file) => file.name, words.at(-1)!);
      const isHidden = (file: FileRow) => Boolean(file.is_hidden);
      return [...best.filter((file) => !isHidden(file)), ...best.filter(isHidden)].map((file) => ({
        href: `${base}/${encodedPath(file.path)}`,
        title: file.path,
        icon: 'file',
      }));
    },
  };
};
