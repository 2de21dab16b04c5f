import { Csrf, Invalid, Section, SelectField } from '@mortise/plugin-sdk';
import { trustModels, type Repository, type TrustModel } from '../api.js';
import { t } from '../texts/index.js';

/** The form in which the trust model of a repository is chosen. */
export function TrustSection({ repository, action }: { repository: Repository; action: string }) {
  return (
    <Section title={t('trust.title')}>
      <form method="post" action={action}>
        <Csrf />
        <input type="hidden" name="action" value="trust" />
        <SelectField
          name="trust_model"
          label={t('trust.model')}
          value={repository.trustModel}
          options={trustModels.map((model) => [model, t(`trust.${model}`)])}
          note={t('trust.note')}
        />
        <button class="btn btn-primary" type="submit">
          {t('trust.save')}
        </button>
      </form>
    </Section>
  );
}

export function trustModelOf(text: string): TrustModel {
  const trustModel = trustModels.find((model) => model === text);
  if (!trustModel)
    throw Invalid(t.later('error.oneOf', { field: t.later('trust.model'), values: trustModels.join(', ') }));
  return trustModel;
}
