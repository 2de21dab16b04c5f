import { Ago, Blankslate, bold, Csrf, PostButton, Section, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Link } from '../services/links.js';
import { t } from '../texts/index.js';

interface Props {
  /** With the name of their source. */
  readonly links: readonly (Link & { readonly source: string })[];
  /** The source that made the account; undefined: none did. */
  readonly own: string | undefined;
  readonly sources: readonly { readonly id: number; readonly name: string }[];
  readonly hasPassword: boolean;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

const base = '/user/settings/linked_accounts';

const LinkItem = ({ link, csrf, path }: { link: Props['links'][number] } & Pick<Props, 'csrf' | 'path'>): VNode => (
  <div class="Box-row d-flex flex-items-center">
    <div class="flex-auto min-width-0 wb-break-word">
      <strong>{link.source}</strong> <span>{link.name}</span>
      <div class="f6 color-fg-muted">
        {t.rich('links.added', { when: <Ago time={link.createdAt} /> })} ·{' '}
        {link.lastUsedAt > 0 ? t.rich('links.used', { when: <Ago time={link.lastUsedAt} /> }) : t('links.neverUsed')}
      </div>
    </div>
    <PostButton
      action={path(`${base}/remove`)}
      csrf={csrf}
      fields={{ id: link.id }}
      label={t('links.removeOf', { source: link.source, name: link.name })}
      danger
    >
      {t('links.remove')}
    </PostButton>
  </div>
);

/** `/user/settings/linked_accounts`: the providers that somebody may sign in with. */
export const LinkedAccounts = ({ links, own, sources, hasPassword, csrf, path }: Props): VNode => (
  <>
    <Section title={t('links.heading')}>
      <p class="color-fg-muted">{t('links.note')}</p>
      {own === undefined ? null : <p class="wb-break-word">{t.rich('links.own', { source: own, b: bold })}</p>}
      <div class="Box">
        {links.length === 0 ? <Blankslate title={t('links.none')} plain level={3} /> : null}
        {links.map((link) => (
          <LinkItem key={link.id} link={link} csrf={csrf} path={path} />
        ))}
      </div>
    </Section>
    {sources.length === 0 ? null : (
      <Section title={t('links.add')}>
        <form method="post" action={path(`${base}/add`)}>
          <Csrf token={csrf} />
          {hasPassword ? (
            <TextField
              name="password"
              id="field-link-password"
              type="password"
              required
              label={t('links.password')}
              autocomplete="current-password"
            />
          ) : null}
          <div class="d-flex flex-wrap gap-2">
            {sources.map(({ id, name }) => (
              <button class="btn" type="submit" name="source" value={String(id)} key={id}>
                {t('links.addOf', { source: name })}
              </button>
            ))}
          </div>
        </form>
      </Section>
    )}
  </>
);

/** Where a form cannot lead to by itself: the browser goes on to the provider. */
export const LeadOnPage = ({ source, address }: { source: string; address: string }): VNode => (
  <div class="mx-auto py-5 px-3 narrow-form">
    <p>{t('links.leading', { source })}</p>
    <a class="btn btn-block" href={address}>
      {t('links.goOn', { source })}
    </a>
  </div>
);
