import type { VNode } from 'preact';
import { Blankslate, formatNumber, lastPage, Pager, PostButton, Section } from '@mortise/plugin-sdk';
import type { OrganizationContext } from '../api.js';
import type { OrganizationMember } from '../contract/organizations.js';
import { organizationBase, UserRow, type PathOf, type UserView } from './components.js';
import { t } from '../texts/index.js';

export interface MembersProps {
  readonly organization: OrganizationContext;
  readonly members: readonly (OrganizationMember & UserView)[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** Of who looks. */
  readonly viewerId: number;
  readonly csrf: string;
  readonly path: PathOf;
}

/** Who belongs to the organization; others see who is shown in public. */
export const Members = (props: MembersProps): VNode => {
  const { organization, members, total, page, limit, path } = props;
  const base = organizationBase(path, organization.account);
  return (
    <Section
      title={
        <>
          {t('members.title')} <span class="Counter">{formatNumber(total)}</span>
        </>
      }
    >
      {organization.isOwner ? <p class="color-fg-muted">{t('members.ownersNote')}</p> : null}
      {total === 0 ? (
        <Blankslate title={t('home.noPeople')} icon="people" level={3} />
      ) : (
        <ul class="Box list-style-none">
          {members.map((member) => (
            <MemberRow key={member.account.id} {...props} member={member} base={base} />
          ))}
        </ul>
      )}
      <Pager page={page} last={lastPage(total, limit)} href={(to) => `?page=${to}`} />
    </Section>
  );
};

interface MemberRowProps extends Pick<MembersProps, 'organization' | 'viewerId' | 'csrf' | 'path'> {
  readonly member: OrganizationMember & UserView;
  readonly base: string;
}

function MemberRow({ organization, member, viewerId, csrf, path, base }: MemberRowProps): VNode {
  const { account, isOwner, isPublic } = member;
  const { name } = account;
  const isOwn = account.id === viewerId;
  const act = (action: string) => `${base}/members/action/${action}`;
  const fields = { uid: account.id };
  return (
    <UserRow
      {...member}
      path={path}
      marks={
        <>
          {isOwner ? <span class="Label Label--accent mr-1">{t('members.owner')}</span> : null}
          {organization.isMember ? (
            <span class="Label">{t(isPublic ? 'members.public' : 'members.hidden')}</span>
          ) : null}
        </>
      }
    >
      {isOwn || organization.isOwner ? (
        <PostButton
          action={act(isPublic ? 'private' : 'public')}
          csrf={csrf}
          fields={fields}
          label={t(isPublic ? 'members.hideOf' : 'members.showOf', { name })}
        >
          {t(isPublic ? 'members.hide' : 'members.show')}
        </PostButton>
      ) : null}
      {isOwn && organization.isMember ? (
        <PostButton
          action={act('leave')}
          csrf={csrf}
          confirm={t('members.leaveConfirm', { name: organization.account.name })}
          danger
        >
          {t('members.leave')}
        </PostButton>
      ) : organization.isOwner ? (
        <PostButton
          action={act('remove')}
          csrf={csrf}
          fields={fields}
          label={t('members.removeOf', { name })}
          confirm={t('members.removeConfirm', { name })}
          danger
        >
          {t('members.remove')}
        </PostButton>
      ) : null}
    </UserRow>
  );
}
