import type { VNode } from 'preact';
import {
  Blankslate,
  Csrf,
  formRoute,
  formStatus,
  formText,
  pageRoute,
  PostButton,
  postRoute,
  reply,
  savedFlash,
  Section,
  TextField,
  toId,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { SettingsPage } from '@mortise/accounts/api';
import { maxText, maxTitle, type SavedReplies, type SavedReply } from '../services/saved-replies.js';
import { t } from '../texts/index.js';

const address = '/user/settings/replies';

interface FormProps {
  readonly action: string;
  /** What stands in the fields; of a new one nothing. */
  readonly values: Pick<SavedReply, 'title' | 'text'>;
  /** Where an edited one leads back to; absent: a new one is added. */
  readonly cancel?: string;
}

const ReplyForm = ({ action, values, cancel }: FormProps): VNode => (
  <Section title={cancel ? t('form.edit') : t('form.new')}>
    <form method="post" action={action}>
      <Csrf />
      <TextField name="title" label={t('form.title')} required maxLength={maxTitle} value={values.title} />
      <TextField
        name="text"
        label={t('form.text')}
        note={t('form.textNote')}
        lines={6}
        required
        maxLength={maxText}
        value={values.text}
      />
      <button class="btn btn-primary" type="submit">
        {cancel ? t('form.save') : t('form.add')}
      </button>{' '}
      {cancel ? (
        <a class="btn" href={cancel}>
          {t('form.cancel')}
        </a>
      ) : null}
    </form>
  </Section>
);

interface ListProps {
  readonly replies: readonly SavedReply[];
  /** Address of this page. */
  readonly base: string;
}

const ReplyList = ({ replies, base }: ListProps): VNode => (
  <Section title={t('title')}>
    {replies.length === 0 ? (
      <Blankslate level={3} title={t('none')} icon="reply">
        <p>{t('note')}</p>
      </Blankslate>
    ) : (
      <>
        <p class="color-fg-muted">{t('note')}</p>
        <ul class="Box list-style-none">
          {replies.map((one) => (
            <ReplyRow key={one.id} reply={one} base={base} />
          ))}
        </ul>
      </>
    )}
  </Section>
);

const ReplyRow = ({ reply: { id, title, text }, base }: Omit<ListProps, 'replies'> & { reply: SavedReply }): VNode => (
  <li class="Box-row d-flex flex-wrap gap-2">
    <div class="list-main">
      <strong>{title}</strong>
      <div class="color-fg-muted f6">{text.slice(0, 200)}</div>
    </div>
    <a class="btn btn-sm" href={`${base}/${id}`} aria-label={t('editOf', { title })}>
      {t('edit')}
    </a>
    <PostButton
      action={`${base}/${id}/delete`}
      label={t('deleteOf', { title })}
      confirm={t('deleteConfirm', { title })}
      danger
    >
      {t('delete')}
    </PostButton>
  </li>
);

interface PageDeps {
  readonly savedReplies: SavedReplies;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

const fieldsOf = (values: FormValues) => ({
  title: formText(values, 'title', maxTitle + 1),
  text: formText(values, 'text', maxText + 1),
});
const idOf = ({ params }: RouteContext) => toId((params as { readonly id?: string }).id);

/** `/user/settings/replies`: one's own saved replies. */
export function repliesPages({ savedReplies, settingsPage, site }: PageDeps): readonly Route[] {
  const access = { actor: 'user' } as const;
  const base = site.path(address);
  const show = ({ actor }: RouteContext, body: VNode, flash?: Flash) =>
    settingsPage({ active: 'replies', title: t.later('title'), actor, flash, status: formStatus(flash), body });
  const listPage = async (context: RouteContext, flash?: Flash, values = { title: '', text: '' }) => {
    const { actor } = context;
    const replies = await savedReplies.list(actor.id);
    return show(
      context,
      <>
        <ReplyList replies={replies} base={base} />
        <ReplyForm action={base} values={values} />
      </>,
      flash,
    );
  };
  const editPage = async (context: RouteContext, flash?: Flash, values?: FormProps['values']) => {
    const { actor } = context;
    const own = await savedReplies.byId(actor.id, idOf(context));
    return show(context, <ReplyForm action={`${base}/${own.id}`} values={values ?? own} cancel={base} />, flash);
  };
  return [
    pageRoute(address, access, (context) => listPage(context, savedFlash(context.query))),
    formRoute(
      address,
      access,
      async ({ actor }, values) => {
        await savedReplies.add(actor.id, fieldsOf(values));
        return `${base}?saved=1`;
      },
      (context, values, flash) => listPage(context, flash, fieldsOf(values)),
    ),
    pageRoute(`${address}/{id}`, access, (context) => editPage(context as RouteContext)),
    formRoute(
      `${address}/{id}`,
      access,
      async (context, values) => {
        await savedReplies.change(context.actor.id, idOf(context), fieldsOf(values));
        return `${base}?saved=1`;
      },
      (context, values, flash) => editPage(context, flash, fieldsOf(values)),
    ),
    postRoute(`${address}/{id}/delete`, access, async (context) => {
      const { id, title } = await savedReplies.byId(context.actor.id, idOf(context as RouteContext));
      await savedReplies.remove(context.actor.id, id);
      return reply.redirect(`${base}?${new URLSearchParams({ deleted: title }).toString()}`, 303);
    }),
  ];
}
