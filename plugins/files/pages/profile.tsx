import { withFallback, type PointReader, type Site } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Memberships, ProfileIntroduction, ProfileProps } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import { viewOf } from '@mortise/history/api';
import { markupIslands, type Markup } from '@mortise/markup/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { MediaSource } from '../contract/files.js';
import { t } from '../texts/index.js';
import { readmeOf } from './readme.js';

/** Repositories whose readme introduces their owner: to everybody, and to the members of an organization. */
const open = '.profile';
const forMembers = '.profile-private';

interface Services {
  readonly access: RepositoryAccess;
  readonly git: GitReader;
  readonly markup: Markup;
  readonly media: PointReader<MediaSource>;
  readonly memberships: Memberships;
  readonly repositories: Repositories;
  readonly site: Site;
}

/** On profiles: the readme of `.profile`, or for members of an organization that of `.profile-private`. */
export const profileReadme = (services: Services): ProfileIntroduction => {
  const { access, git, memberships, repositories, site } = services;

  const readme = async ({ account, actor }: ProfileProps, name: string): Promise<VNode | null> => {
    const repository = await repositories.byPath(account.name, name);
    // A private `.profile` is a draft: shown to nobody, not even to those who may read it.
    if (!repository || repository.isEmpty || (name === open && repository.isPrivate)) return null;
    const resource = await access.context(actor, repository);
    if (!resource.may('read', 'code')) return null;
    const branch = await git.open(repository.id).branch(repository.defaultBranch);
    if (!branch) return null;
    const revision = { kind: 'branch', name: branch.name, commit: branch.oid } as const;
    return readmeOf(services, viewOf(services, { resource, actor }, revision), { actor }, `${name}/`);
  };
  // A damaged repository takes only its readme from the page.
  const shown = (props: ProfileProps, name: string) => withFallback(readme(props, name), null);

  return {
    key: 'readme',
    islands: markupIslands,
    async render(props) {
      const { account, actor, query } = props;
      const isMember =
        account.kind === 'organization' && actor.kind === 'user' && (await memberships.isMember(actor.id, account.id));
      const ofMembers = isMember ? await shown(props, forMembers) : null;
      if (!ofMembers) return framed(await shown(props, open));
      const asMember = query.view_as !== 'public';
      const address = site.path(`/${account.name}?view_as=${asMember ? 'public' : 'member'}`);
      return framed(asMember ? ofMembers : await shown(props, open), <ViewNote asMember={asMember} other={address} />);
    },
  };
};

/** Which of two readmes this is, and the way to the other. */
const ViewNote = ({ asMember, other }: { asMember: boolean; other: string }): VNode => (
  <p class="f6 color-fg-muted">
    {t(asMember ? 'profile.members' : 'profile.public')}{' '}
    <a href={other}>{t(asMember ? 'profile.viewPublic' : 'profile.viewMember')}</a>
  </p>
);

const framed = (readme: VNode | null, note: VNode | null = null): VNode | null =>
  readme || note ? (
    <div class="mb-4">
      {note}
      {readme}
    </div>
  ) : null;
