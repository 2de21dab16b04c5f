import {
  Ago,
  Blankslate,
  CheckField,
  CopyButton,
  Csrf,
  FieldError,
  fieldError,
  Forbidden,
  Joi,
  listHref,
  pageRoute,
  PostButton,
  postRoute,
  Problem,
  refusedFlash,
  reply,
  savedFlash,
  Section,
  TextField,
  textOf,
  type ApiScopes,
  type PageOptions,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { AccessToken, AccessTokens } from '../contract/auth-token.js';
import type { OfferedCategory, TokenScopes } from '../api.js';
import { expiryOn, hasExpired, lastDay, noticeTime } from '../services/expiry.js';
import { t } from '../texts/index.js';
import type { SettingsPage } from '@mortise/accounts/api';

interface Props {
  readonly tokens: readonly AccessToken[];
  /** Shown once, right after it was made. */
  readonly secret?: string;
  readonly categories: readonly OfferedCategory[];
  readonly path: (path: string) => string;
  /** The form, when it was refused: it is shown again. */
  readonly sent?: Readonly<Record<string, unknown>>;
}

const levels = ['none', 'read', 'write', 'delete'] as const;

function TokenList({ tokens, path }: Props): VNode {
  if (tokens.length === 0) {
    return (
      <Blankslate level={3} title={t('tokens.none')} icon="key">
        <p>{t('tokens.note')}</p>
      </Blankslate>
    );
  }
  return (
    <div class="Box">
      {tokens.map((token) => (
        <div class="Box-row d-flex flex-items-center" key={token.id}>
          <div class="flex-auto">
            <strong>{token.name}</strong> <span class="text-mono color-fg-muted">…{token.lastEight}</span>
            <div class="my-1">
              {token.scopes.map((scope) => (
                <span class="Label mr-1" key={scope}>
                  {scope}
                </span>
              ))}
            </div>
            <div class="f6 color-fg-muted">
              {t.rich('tokens.created', { when: <Ago time={token.createdAt} /> })} ·{' '}
              {token.lastUsedAt > token.createdAt
                ? t.rich('tokens.used', { when: <Ago time={token.lastUsedAt} /> })
                : t('tokens.neverUsed')}{' '}
              · <Expiry token={token} />
            </div>
            <RenameForm token={token} path={path} />
          </div>
          <PostButton
            action={path('/user/settings/applications/delete')}
            fields={{ id: token.id }}
            label={t('tokens.deleteOf', { name: token.name })}
            confirm={t('tokens.deleteConfirm', { name: token.name })}
            danger
          >
            {t('tokens.delete')}
          </PostButton>
        </div>
      ))}
    </div>
  );
}

function Expiry({ token }: { readonly token: AccessToken }): VNode {
  if (token.expiresAt === 0) return <span>{t('tokens.noExpiry')}</span>;
  const day = lastDay(token.expiresAt);
  if (hasExpired(token)) return <span class="color-fg-danger">{t('tokens.expired', { day })}</span>;
  const isSoon = noticeTime(token.createdAt, token.expiresAt) <= Date.now();
  return <span class={isSoon ? 'color-fg-attention' : undefined}>{t('tokens.expires', { day })}</span>;
}

function RenameForm({ token, path }: Pick<Props, 'path'> & { readonly token: AccessToken }): VNode {
  return (
    <details class="mt-1">
      <summary class="f6" aria-label={t('tokens.renameOf', { name: token.name })}>
        {t('tokens.rename')}
      </summary>
      <form method="post" action={path('/user/settings/applications/rename')}>
        <Csrf />
        <input type="hidden" name="id" value={token.id} />
        <TextField
          name="name"
          id={`field-name-${token.id}`}
          label={t('new.name')}
          required
          maxLength={255}
          value={token.name}
        />
        <button class="btn btn-sm" type="submit">
          {t('tokens.renameSubmit')}
        </button>
      </form>
    </details>
  );
}

function Applications(props: Props): VNode {
  const { secret, categories, path, sent = {} } = props;
  return (
    <div>
      {secret ? (
        <div class="flash flash-success mb-4">
          <p class="mb-1">{t('tokens.copy')}</p>
          <div class="d-flex gap-2">
            <input
              class="form-control flex-auto min-width-0 text-mono"
              value={secret}
              readonly
              aria-label={t('tokens.secret')}
              autofocus
            />
            <CopyButton text={secret} label={t('tokens.copyButton')} />
          </div>
        </div>
      ) : null}
      <Section title={t('tokens.title')}>
        <TokenList {...props} />
      </Section>
      <Section title={t('new.title')}>
        <form method="post" action={path('/user/settings/applications')}>
          <Csrf />
          <TextField
            name="name"
            label={t('new.name')}
            required
            maxLength={255}
            placeholder={t('new.namePlaceholder')}
            value={String(sent.name ?? '')}
          />
          <TextField
            name="expires_on"
            label={t('new.expires')}
            note={t('new.expiresNote')}
            type="date"
            short
            value={String(sent.expires_on ?? '')}
          />
          <fieldset class="my-3" aria-describedby={fieldError('scopes') ? 'field-scopes-error' : undefined}>
            <legend class="f5 text-bold mb-2">{t('new.permissions')}</legend>
            <FieldError of={{ name: 'scopes' }} />
            <div class="Box">
              {categories.map(({ key: category, label, note }) => (
                <div class="Box-row py-2 d-flex flex-wrap flex-items-center" key={category}>
                  <div class="mr-3 list-main">
                    <label for={`scope-${category}`}>{textOf(label)}</label>
                    <div class="f6 color-fg-muted" id={`scope-${category}-note`}>
                      {textOf(note)}
                    </div>
                  </div>
                  <select
                    class="form-select select-sm flex-shrink-0"
                    id={`scope-${category}`}
                    name={`scope_${category}`}
                    aria-describedby={`scope-${category}-note`}
                    aria-invalid={fieldError('scopes') ? 'true' : undefined}
                  >
                    {levels.map((level) => (
                      <option
                        key={level}
                        value={level === 'none' ? '' : level}
                        selected={level === String(sent[`scope_${category}`] || 'none')}
                      >
                        {t(`level.${level}`)}
                      </option>
                    ))}
                  </select>
                </div>
              ))}
            </div>
          </fieldset>
          <CheckField name="public_only" label={t('new.publicOnly')} checked={sent.public_only === 'true'} />
          <button class="btn btn-primary mt-2" type="submit">
            {t('new.submit')}
          </button>
        </form>
      </Section>
    </div>
  );
}

interface Services {
  readonly accessTokens: AccessTokens;
  readonly apiScopes: ApiScopes;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
  readonly tokenScopes: TokenScopes;
}

/** Scope words of the form's menus; the category `admin` is for administrators (TOK-12). */
function chosenScopes(payload: Record<string, unknown>, offered: readonly OfferedCategory[]): string[] {
  const scopes = offered.flatMap(({ key }) =>
    payload[`scope_${key}`] ? [`${String(payload[`scope_${key}`])}:${key}`] : [],
  );
  return payload.public_only === 'true' ? ['public-only', ...scopes] : scopes;
}

/** A token sent by a program must not make further ones here; people sign in for this. */
function requireUser({ actor }: Pick<RouteContext, 'actor'>): void {
  if (actor.method === 'token') throw Forbidden(t.later('error.signIn'));
}

/** `/user/settings/applications`: one's own tokens. */
export const applicationPages = ({
  accessTokens,
  apiScopes,
  settingsPage,
  site,
  tokenScopes,
}: Services): readonly Route[] => {
  const path = (to: string) => site.path(to);
  const access = { actor: 'user' } as const;
  const page = async (
    { actor }: RouteContext,
    more: {
      secret?: string;
      flash?: PageOptions['flash'];
      status?: number;
      sent?: Readonly<Record<string, unknown>>;
    } = {},
  ) => {
    const tokens = await accessTokens.list(actor.id, { limit: 500, offset: 0 });
    return settingsPage({
      active: 'applications',
      title: t.later('applications.title'),
      actor,
      flash: more.flash,
      status: more.status,
      body: (
        <Applications
          tokens={tokens.items}
          secret={more.secret}
          sent={more.sent}
          categories={offered(actor.isAdmin)}
          path={path}
        />
      ),
    });
  };
  /** What no route of the loaded plugins asks for would be an empty promise. */
  const offered = (isAdmin: boolean) => {
    const used = new Set(apiScopes.used());
    return tokenScopes.categories.filter(({ key }) => used.has(key) && (key !== 'admin' || isAdmin));
  };
  return [
    pageRoute('/user/settings/applications', access, (context) => page(context, { flash: savedFlash(context.query) })),
    postRoute('/user/settings/applications', access, async (context) => {
      requireUser(context);
      const { actor } = context;
      const payload = (context.payload ?? {}) as Record<string, unknown>;
      try {
        const made = await accessTokens.create({
          userId: actor.id,
          name: String(payload.name ?? '').trim(),
          scopes: chosenScopes(payload, offered(actor.isAdmin)),
          creator: actor,
          expiresAt: expiryOn(String(payload.expires_on ?? '')),
        });
        return await page(context, { secret: made.secret });
      } catch (error) {
        if (!Problem.is(error)) throw error;
        return page(context, { flash: refusedFlash(error), status: error.status, sent: payload });
      }
    }),
    postRoute(
      '/user/settings/applications/rename',
      access,
      async (context) => {
        requireUser(context);
        const { id, name } = context.payload;
        try {
          await accessTokens.rename(context.actor.id, id, name.trim());
        } catch (error) {
          if (!Problem.is(error)) throw error;
          // the field of that name belongs to the form of a new token
          return page(context, { flash: { ...refusedFlash(error), fields: undefined }, status: error.status });
        }
        return reply.redirect(listHref(path('/user/settings/applications'), { saved: '1' }), 303);
      },
      {
        payload: Joi.object<{ readonly id: number; readonly name: string }>({
          id: Joi.number().integer().required(),
          name: Joi.string().allow('').required(),
        }),
      },
    ),
    postRoute(
      '/user/settings/applications/delete',
      access,
      async (context) => {
        requireUser(context);
        const id = context.payload.id as number;
        const token = await accessTokens.byId(id);
        await accessTokens.remove(context.actor.id, id);
        return reply.redirect(listHref(path('/user/settings/applications'), { deleted: token?.name }), 303);
      },
      { payload: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() }) },
    ),
  ];
};
