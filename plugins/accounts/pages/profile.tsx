import { Blankslate, bold, formatDate, formatNumber, icon, PostButton, textOf } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { ProfileTab } from '../api.js';
import type { ProfilePageProps } from '../contract/pages.js';
import { t } from '../texts/index.js';

export interface ProfileViewProps extends ProfilePageProps {
  readonly avatarUrl: string;
  readonly email: string | undefined;
  readonly follows: boolean;
  readonly path: (path: string) => string;
  readonly details: readonly (VNode | null)[];
  readonly tabs: readonly { readonly tab: ProfileTab; readonly count: number | undefined }[];
  /** Key of the tab that is shown, or of the list behind a number. */
  readonly active: string | undefined;
  readonly content: VNode | null;
}

function FollowButton({ account, actor, csrf, follows, path }: ProfileViewProps): VNode | null {
  if (actor.kind !== 'user' || actor.id === account.id) return null;
  return (
    <PostButton
      action={path(`/${account.name}/-/${follows ? 'unfollow' : 'follow'}`)}
      csrf={csrf}
      class="btn btn-block"
      formClass="my-3"
    >
      {t(follows ? 'person.unfollow' : 'person.follow')}
    </PostButton>
  );
}

const Fact = ({ name, children }: { name: string; children: VNode | string }): VNode => (
  <li class="py-1 color-fg-muted">
    {icon(name, { class: 'mr-2' })}
    {children}
  </li>
);

/** The public page of a person: who it is on the left, tabs of plugins on the right. */
export function ProfileView(props: ProfileViewProps): VNode {
  const { account, path } = props;
  return (
    <div>
      <div class="d-md-flex gutter-lg">
        <div class="col-12 col-md-3 mb-4">
          <img
            class="avatar width-full mb-3 profile-picture"
            src={props.avatarUrl}
            alt={t('avatar.of', { name: account.name })}
          />
          <h1 class="h2 lh-condensed">
            {account.fullName ? <span class="d-block">{account.fullName}</span> : null}
            <span class={account.fullName ? 'd-block f3-light color-fg-muted' : 'd-block'}>{account.name}</span>
          </h1>
          {account.visibility === 'public' ? null : (
            <span class="Label">{t(account.visibility === 'limited' ? 'profile.limited' : 'profile.private')}</span>
          )}
          {account.description ? <p class="mt-2">{account.description}</p> : null}
          <FollowButton {...props} />
          <ul class="list-style-none f5">
            <Fact name="people">
              <>
                <a
                  class="Link--secondary"
                  href={path(`/${account.name}?tab=followers`)}
                  aria-current={props.active === 'followers' ? 'page' : undefined}
                >
                  {t.rich('person.followers', { count: account.followerCount, b: bold })}
                </a>
                {' · '}
                <a
                  class="Link--secondary"
                  href={path(`/${account.name}?tab=following`)}
                  aria-current={props.active === 'following' ? 'page' : undefined}
                >
                  {t.rich('person.following', { count: account.followingCount, b: bold })}
                </a>
              </>
            </Fact>
            {account.location ? <Fact name="location">{account.location}</Fact> : null}
            {account.website ? (
              <Fact name="link">
                <a href={account.website} rel="nofollow noopener noreferrer me">
                  {account.website}
                </a>
              </Fact>
            ) : null}
            {props.email ? (
              <Fact name="mail">
                <a href={`mailto:${props.email}`}>{props.email}</a>
              </Fact>
            ) : null}
            <Fact name="calendar">{t('person.joined', { date: formatDate(account.createdAt) })}</Fact>
          </ul>
          {props.details}
        </div>
        <div class="col-12 col-md-9">
          {props.tabs.length > 0 ? (
            <nav class="UnderlineNav mb-3" aria-label={t('person.profile')}>
              <div class="UnderlineNav-body">
                {props.tabs.map(({ tab, count }) => (
                  <a
                    key={tab.key}
                    class="UnderlineNav-item"
                    href={path(`/${account.name}?tab=${tab.key}`)}
                    aria-current={tab.key === props.active ? 'page' : undefined}
                  >
                    {tab.icon ? icon(tab.icon, { class: 'UnderlineNav-octicon' }) : null} {textOf(tab.label)}
                    {count === undefined ? null : <span class="Counter ml-1">{formatNumber(count)}</span>}
                  </a>
                ))}
              </div>
            </nav>
          ) : null}
          {props.introduction}
          {props.content ?? <Blankslate title={t('person.empty')} plain />}
        </div>
      </div>
    </div>
  );
}
