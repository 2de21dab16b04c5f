import { Csrf, FormFrame, RadioFields, Section, type Site } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { mailChoices, type MailChoice } from '../services/mail-choices.js';
import { t } from '../texts/index.js';

interface MailSettingsProps {
  readonly choice: MailChoice;
  readonly sendsMail: boolean;
  readonly csrf: string;
  readonly action: string;
}

/** What one wants to get by mail. */
export const MailSettings = ({ choice, sendsMail, csrf, action }: MailSettingsProps): VNode => (
  <Section title={t('settings.heading')}>
    {sendsMail ? null : <p class="flash">{t('settings.off')}</p>}
    <form method="post" action={action}>
      <Csrf token={csrf} />
      <RadioFields
        name="mail"
        label={t('settings.mail')}
        value={choice}
        options={mailChoices.map((one) => [one, t(`choice.${one}`), t(`choice.${one}.note`)])}
      />
      <button class="btn btn-primary" type="submit">
        {t('settings.save')}
      </button>
    </form>
  </Section>
);

interface UnsubscribeProps {
  readonly site: Site;
  readonly action: string;
  readonly csrf: string;
  readonly isDone: boolean;
}

/** Where the link of a mail leads: nothing ends until the button is pressed, since programs follow links too. */
export const Unsubscribe = ({ site, action, csrf, isDone }: UnsubscribeProps): VNode => (
  <FormFrame title={t('unsubscribe.title')}>
    {isDone ? (
      <p role="status">
        {t('unsubscribe.done')} <a href={site.path('/user/settings/notifications')}>{t('inbox.settings')}</a>
      </p>
    ) : (
      <form method="post" action={action}>
        <Csrf token={csrf} />
        <p class="mb-3">{t('unsubscribe.text')}</p>
        <button class="btn btn-primary btn-block" type="submit">
          {t('unsubscribe.button')}
        </button>
      </form>
    )}
  </FormFrame>
);
