import type { VNode } from 'preact';
import { Csrf, formatDate, PostButton, Section } from '@mortise/plugin-sdk';
import type { ResolvedInvitation, Invitation } from '../services/invitations.js';
import { t } from '../texts/index.js';

/** On the page of a team: who was invited and has not answered. */
export const Invitations = ({
  invitations,
  action,
  csrf,
}: {
  readonly invitations: readonly Invitation[];
  readonly action: string;
  readonly csrf: string;
}): VNode | null =>
  invitations.length === 0 ? null : (
    <Section title={t('invitation.waiting')}>
      <ul class="Box list-style-none">
        {invitations.map(({ id, email, expiresAt }) => (
          <li key={id} class="Box-row d-flex flex-wrap flex-items-center gap-2">
            <div class="list-main wb-break-word">
              {email}
              <div class="f6 color-fg-muted">{t('invitation.until', { date: formatDate(expiresAt) })}</div>
            </div>
            <PostButton
              action={action}
              csrf={csrf}
              fields={{ iid: id }}
              label={t('invitation.revokeOf', { email })}
              danger
            >
              {t('invitation.revoke')}
            </PostButton>
          </li>
        ))}
      </ul>
    </Section>
  );

/** What a link from a mail leads to. */
export const InvitationPage = ({
  invitation: { team, organization, inviter },
  action,
  csrf,
}: {
  readonly invitation: ResolvedInvitation;
  readonly action: string;
  readonly csrf: string;
}): VNode => (
  <form method="post" action={action}>
    <h1 class="f2 mb-2">{t('invitation.title', { organization: organization.account.name })}</h1>
    <p>{t('invitation.page', { name: inviter.name, team: team.name, organization: organization.account.name })}</p>
    {organization.account.description ? <p class="color-fg-muted">{organization.account.description}</p> : null}
    <Csrf token={csrf} />
    <button class="btn btn-primary" type="submit">
      {t('invitation.accept')}
    </button>
  </form>
);
