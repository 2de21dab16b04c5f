import type { ComponentChildren, VNode } from 'preact';
import {
  Blankslate,
  CheckField,
  Csrf,
  icon,
  listHref,
  NumberField,
  Pager,
  PostButton,
  Section,
  TextField,
} from '@mortise/plugin-sdk';
import type { EnvironmentRow } from '../../models/environment.js';
import { maxReviewers, maxWaitMinutes, type GoneReviewers } from '../../services/deployments/environment-service.js';
import { asksForReview } from '../../services/deployments/reviewing-teams.js';
import { t } from '../../texts/index.js';

/** Fields of the form, as they are typed. */
export interface EnvironmentFields {
  /** Names with commas between them. */
  readonly reviewers: string;
  readonly preventsSelfReview: boolean;
  readonly waitMinutes: number;
  /** One in each line. */
  readonly branchPatterns: string;
  /** Reviewers that are gone are taken out of the rules. */
  readonly removesGone: boolean;
}

interface ListProps {
  readonly base: string;
  readonly rows: readonly EnvironmentRow[];
  readonly page: number;
  readonly last: number;
  /** What was typed and refused. */
  readonly name: string;
}

/** Rules of an environment in a few words; empty: it has none. */
export const rulesText = (row: EnvironmentRow): string =>
  [
    asksForReview(row) && t('environment.reviewerCount', { count: row.reviewers.length + row.reviewer_teams.length }),
    row.wait_minutes > 0 && t('environment.waitCount', { count: row.wait_minutes }),
    row.branch_patterns.length > 0 && t('environment.only', { patterns: row.branch_patterns.join(', ') }),
  ]
    .filter(Boolean)
    .join(' · ');

export const EnvironmentList = ({ base, rows, page, last, name }: ListProps): VNode => (
  <>
    <Section title={t('settings.environments')}>
      <p class="color-fg-muted">{t('environment.note')}</p>
      {rows.length === 0 ? (
        <Blankslate level={3} icon="rocket" title={t('environment.none')} />
      ) : (
        <ul class="Box list-style-none mb-3">
          {rows.map((row) => (
            <li key={row.id} class="Box-row">
              <a class="text-bold Link--primary wb-break-word" href={`${base}/${row.id}`}>
                {row.name}
              </a>
              <div class="color-fg-muted f6 wb-break-word">{rulesText(row) || t('environment.noRules')}</div>
            </li>
          ))}
        </ul>
      )}
      <Pager page={page} last={last} href={(number) => listHref(base, { page: number })} />
    </Section>
    <Section title={t('environment.add')}>
      <form method="post" action={base}>
        <Csrf />
        <TextField name="name" label={t('field.name')} value={name} required maxLength={255} />
        <button class="btn btn-primary" type="submit">
          {t('environment.add')}
        </button>
      </form>
    </Section>
  </>
);

interface FrameProps {
  readonly base: string;
  readonly row: EnvironmentRow;
  readonly children: ComponentChildren;
}

/** Around the lists of what an environment holds. */
export const EnvironmentFrame = ({ base, row, children }: FrameProps): VNode => (
  <>
    <p>
      <a href={`${base}/${row.id}`}>
        {icon('arrow-left')} {t('environment.title', { name: row.name })}
      </a>
    </p>
    <p>{t('environment.valuesNote')}</p>
    {children}
  </>
);

interface FormProps {
  readonly base: string;
  readonly row: EnvironmentRow;
  readonly fields: EnvironmentFields;
  readonly gone: GoneReviewers;
}

/** They have no name that could stand in the field of reviewers. */
const GoneReviewersField = ({ gone, checked }: { readonly gone: GoneReviewers; readonly checked: boolean }) =>
  gone.users.length + gone.teams.length === 0 ? null : (
    <>
      <ul class="list-style-none mb-2">
        {gone.users.map((id) => (
          <li key={`user-${id}`}>{t('environment.goneUser', { id: String(id) })}</li>
        ))}
        {gone.teams.map((id) => (
          <li key={`team-${id}`}>{t('environment.goneTeam', { id: String(id) })}</li>
        ))}
      </ul>
      <CheckField
        name="remove_gone"
        label={t('environment.removeGone')}
        value="on"
        checked={checked}
        note={t('environment.removeGoneNote')}
      />
    </>
  );

export const EnvironmentForm = ({ base, row, fields, gone }: FormProps): VNode => (
  <>
    <p>
      <a href={base}>
        {icon('arrow-left')} {t('environment.back')}
      </a>
    </p>
    <Section title={t('environment.title', { name: row.name })}>
      <form method="post" action={`${base}/${row.id}`}>
        <Csrf />
        <TextField
          name="reviewers"
          label={t('environment.reviewers')}
          value={fields.reviewers}
          note={t('environment.reviewersNote', { max: maxReviewers })}
          data-suggest="users"
        />
        <GoneReviewersField gone={gone} checked={fields.removesGone} />
        <CheckField
          name="prevents_self_review"
          label={t('environment.preventsSelfReview')}
          value="on"
          checked={fields.preventsSelfReview}
        />
        <NumberField
          name="wait_minutes"
          label={t('environment.wait')}
          value={fields.waitMinutes}
          min={0}
          max={maxWaitMinutes}
          note={t('environment.waitNote')}
        />
        <TextField
          name="branch_patterns"
          label={t('environment.branches')}
          value={fields.branchPatterns}
          lines={4}
          mono
          note={t('environment.branchesNote')}
        />
        <button class="btn btn-primary" type="submit">
          {t('action.save')}
        </button>
      </form>
    </Section>
    <Section title={t('environment.values')}>
      <p>{t('environment.valuesNote')}</p>
      <a class="btn mr-2" href={`${base}/${row.id}/secrets`}>
        {icon('lock')} {t('settings.secrets')}
      </a>
      <a class="btn" href={`${base}/${row.id}/variables`}>
        {icon('pencil')} {t('settings.variables')}
      </a>
    </Section>
    <Section title={t('environment.delete')} danger>
      <p>{t('environment.deleteNote')}</p>
      <PostButton
        action={`${base}/${row.id}/delete`}
        class="btn btn-danger"
        confirm={t('environment.deleteConfirm', { name: row.name })}
        formClass="confirm-start"
        typed={row.name}
      >
        {t('environment.delete')}
      </PostButton>
    </Section>
  </>
);
