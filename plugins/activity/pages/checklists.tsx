import type { VNode } from 'preact';
import { icon, Joi, PostButton, postRoute, reply, textOf, type Route, type Site } from '@mortise/plugin-sdk';
import type { Checklist, ChecklistName, Checklists } from '../services/checklists.js';
import { t } from '../texts/index.js';

const dismissPath = '/user/checklists/dismiss';

interface Props {
  readonly lists: readonly Checklist[];
  readonly path: (path: string) => string;
}

/** First steps of the site and of the user, each with a mark when it is done. */
export const ChecklistBoxes = ({ lists, path }: Props): VNode => (
  <>
    {lists.map(({ name, steps }) => (
      <section class="Box mb-4" aria-labelledby={`checklist-${name}`} key={name}>
        <div class="Box-header d-flex flex-items-center gap-2">
          <h2 class="f5 flex-auto" id={`checklist-${name}`}>
            {t(`checklist.${name}`)}{' '}
            <span class="Counter">
              {t('checklist.done', { done: steps.filter(({ isDone }) => isDone).length, count: steps.length })}
            </span>
          </h2>
          <PostButton
            action={path(dismissPath)}
            fields={{ list: name }}
            class="btn btn-sm btn-invisible"
            label={t('checklist.dismissOf', { title: t(`checklist.${name}`) })}
          >
            {t('checklist.dismiss')}
          </PostButton>
        </div>
        <ul class="list-style-none">
          {steps.map(({ step, isDone }) => (
            <li class="Box-row py-2 d-flex gap-2" key={step.key}>
              {isDone
                ? icon('check-circle-fill', { class: 'color-fg-success' })
                : icon('circle', { class: 'color-fg-muted' })}
              <span class="sr-only">{t(isDone ? 'checklist.isDone' : 'checklist.isOpen')}</span>
              {isDone ? (
                <s class="color-fg-muted">{textOf(step.label)}</s>
              ) : (
                <a href={path(step.path)}>{textOf(step.label)}</a>
              )}
            </li>
          ))}
        </ul>
      </section>
    ))}
  </>
);

/** Hides a list for good. */
export const checklistRoutes = ({ checklists, site }: { checklists: Checklists; site: Site }): Route[] => [
  postRoute(
    dismissPath,
    { actor: 'user' },
    async ({ actor, payload }) => {
      await checklists.dismiss(actor.id, payload.list);
      return reply.redirect(site.path('/'));
    },
    { payload: Joi.object<{ readonly list: ChecklistName }>({ list: Joi.string().valid('site', 'user').required() }) },
  ),
];
