import type { VNode } from 'preact';
import {
  Csrf,
  Joi,
  postRoute,
  RadioFields,
  reply,
  Section,
  type Route,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import type { MailSettingsContext } from '@mortise/notifications/api';
import { runMailChoices, type RunMailChoice, type RunMails } from '../../services/runs/run-mails.js';
import { t } from '../../texts/index.js';

interface Deps {
  readonly mails: RunMails;
  readonly site: Site;
}

const settings = '/user/settings/notifications';
const path = `${settings}/actions`;

const Choice = ({ action, choice }: { action: string; choice: RunMailChoice }): VNode => (
  <Section title={t('mail.settings')}>
    <form method="post" action={action}>
      <Csrf />
      <RadioFields
        name="choice"
        label={t('mail.choice')}
        value={choice}
        options={runMailChoices.map((one) => [one, t(`mail.choice.${one}`)])}
      />
      <button class="btn btn-primary" type="submit">
        {t('mail.save')}
      </button>
    </form>
  </Section>
);

/** Below the notifications: of which runs one wants mail. */
export const runMailSettings = ({ mails, site }: Deps): Slot<MailSettingsContext> => ({
  key: 'actions',
  render: async ({ actor }) => <Choice action={site.path(path)} choice={await mails.choiceOf(actor.id)} />,
});

export const runMailRoutes = ({ mails, site }: Deps): Route[] => [
  postRoute(
    path,
    { actor: 'user' },
    async ({ actor, payload }) => {
      await mails.setChoice(actor.id, payload.choice);
      return reply.redirect(site.path(`${settings}?saved`));
    },
    {
      payload: Joi.object<{ readonly choice: RunMailChoice }>({
        choice: Joi.string()
          .valid(...runMailChoices)
          .required(),
      }),
    },
  ),
];
