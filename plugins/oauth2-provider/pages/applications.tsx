import {
  Blankslate,
  CheckField,
  CopyBlock,
  Csrf,
  formStatus,
  formText,
  isChecked,
  Joi,
  NotFound,
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
  type Text,
  type Access,
  type Flash,
  type FormValues,
  type PageOptions,
  type Route,
  type RouteContext,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { OAuth2Application } from '../api.js';
import type { NewOAuth2Application, OAuth2Applications } from '../contract/oauth2-provider.js';
import { t } from '../texts/index.js';

/** What stands in the form: as it was sent, or of the application that is changed. */
interface Values {
  readonly name: string;
  readonly redirectUris: string;
  readonly isConfidential: boolean;
  readonly skipsSecondConsent: boolean;
}

const emptyValues: Values = { name: '', redirectUris: '', isConfidential: true, skipsSecondConsent: false };

interface Common {
  /** Address of the list. */
  readonly base: string;
}

const ApplicationForm = ({
  action,
  values,
  submit,
}: {
  readonly action: string;
  readonly values: Values;
  readonly submit: string;
}): VNode => (
  <form method="post" action={action}>
    <Csrf />
    <TextField name="name" label={t('form.name')} value={values.name} required maxLength={255} />
    <TextField
      name="redirect_uris"
      label={t('form.redirects')}
      note={t('form.redirectsNote')}
      value={values.redirectUris}
      lines={3}
      required
      mono
      spellcheck={false}
    />
    <CheckField
      name="confidential"
      value="on"
      label={t('form.confidential')}
      note={t('form.confidentialNote')}
      checked={values.isConfidential}
    />
    <CheckField
      name="skip_second_consent"
      value="on"
      label={t('form.skip')}
      note={t('form.skipNote')}
      checked={values.skipsSecondConsent}
    />
    <button class="btn btn-primary mt-2" type="submit">
      {submit}
    </button>
  </form>
);

const ApplicationRow = ({ application, base }: Common & { readonly application: OAuth2Application }): VNode => {
  const { id, name, clientId, isBuiltIn } = application;
  return (
    <li class="Box-row d-flex flex-items-center gap-2">
      <div class="flex-auto min-width-0">
        {isBuiltIn ? (
          <>
            <strong>{name}</strong> <span class="Label">{t('own.builtIn')}</span>
          </>
        ) : (
          <a class="text-bold" href={`${base}/${id}`}>
            {name}
          </a>
        )}
        <div class="f6 color-fg-muted text-mono overflow-wrap-anywhere">{clientId}</div>
      </div>
      {isBuiltIn ? null : (
        <PostButton
          action={`${base}/${id}/delete`}
          label={t('own.deleteOf', { name })}
          confirm={t('own.deleteConfirm', { name })}
          danger
        >
          {t('own.delete')}
        </PostButton>
      )}
    </li>
  );
};

interface ApplicationListProps extends Common {
  /** What such applications are. */
  readonly note: Text;
  readonly applications: readonly OAuth2Application[];
  readonly values: Values;
}

/** The applications that an account or the site has registered, and the form for one more. */
const ApplicationList = ({ note, applications, values, base }: ApplicationListProps): VNode => (
  <>
    <Section title={t('own.title')}>
      <p class="color-fg-muted">{textOf(note)}</p>
      {applications.length === 0 ? (
        <Blankslate level={3} title={t('own.none')} icon="apps" />
      ) : (
        <ul class="Box list-style-none">
          {applications.map((one) => (
            <ApplicationRow key={one.id} application={one} base={base} />
          ))}
        </ul>
      )}
    </Section>
    <Section title={t('form.title')}>
      <ApplicationForm action={base} values={values} submit={t('form.create')} />
    </Section>
  </>
);

interface EditProps extends Common {
  readonly application: OAuth2Application;
  /** Shown once, right after it was made. */
  readonly secret: string | undefined;
  readonly values: Values;
}

/** One registered application. */
const EditApplication = ({ application, secret, values, base }: EditProps): VNode => (
  <Section title={application.name}>
    <dl>
      <dt class="text-bold">{t('edit.clientId')}</dt>
      <dd class="mb-3">
        <CopyBlock text={application.clientId} label={t('edit.copyId')} />
      </dd>
      <dt class="text-bold">{t('edit.secret')}</dt>
      <dd class="mb-3">
        {secret === undefined ? (
          <span class="color-fg-muted">{t('edit.secretHidden')}</span>
        ) : (
          <>
            <p class="flash flash-success">{t('edit.secretNote')}</p>
            <CopyBlock text={secret} label={t('edit.copySecret')} />
          </>
        )}
      </dd>
    </dl>
    <ApplicationForm action={`${base}/${application.id}`} values={values} submit={t('edit.save')} />
    <p class="note">{t('edit.saveNote')}</p>
    <p>
      <a href={base}>{t('edit.back')}</a>
    </p>
  </Section>
);

/** More than anybody may register. */
const maxListed = 500;

const valuesOf = (sent: FormValues): Values => ({
  name: formText(sent, 'name'),
  redirectUris: formText(sent, 'redirect_uris', 100_000),
  isConfidential: isChecked(sent, 'confidential'),
  skipsSecondConsent: isChecked(sent, 'skip_second_consent'),
});

const given = ({ redirectUris, ...values }: Values): NewOAuth2Application => ({
  ...values,
  redirectUris: redirectUris.split(/[\s,]+/),
});

const shown = ({ name, redirectUris, isConfidential, skipsSecondConsent }: OAuth2Application): Values => ({
  name,
  redirectUris: redirectUris.join('\n'),
  isConfidential,
  skipsSecondConsent,
});

/** Settings that have pages for applications: where they lie, whose applications they show, and what frames them. */
interface ApplicationLevel<S> {
  /** Route path of the list, for instance `/user/settings/oauth2`. */
  readonly path: string;
  readonly params: Readonly<Record<string, Joi.Schema>>;
  readonly access: Access<S>;
  /** Account that the applications belong to; 0: the site. */
  ownerId(context: RouteContext<S>): number;
  /** Address of the list. */
  base(context: RouteContext<S>): string;
  frame(
    context: RouteContext<S>,
    options: { title: Text; body: VNode } & Pick<PageOptions, 'status' | 'flash'>,
  ): WebPage | Promise<WebPage>;
  readonly note: Text;
  /** Above the list. */
  above?(context: RouteContext<S>): Promise<VNode>;
}

type OwnContext<S> = RouteContext<S, { readonly id: number }>;

/** List and forms of the applications of one level. */
class ApplicationPages<S> {
  readonly #applications: OAuth2Applications;
  readonly #level: ApplicationLevel<S>;
  readonly #one: Joi.ObjectSchema<{ readonly id: number }>;

  constructor(applications: OAuth2Applications, level: ApplicationLevel<S>) {
    this.#applications = applications;
    this.#level = level;
    this.#one = Joi.object<{ readonly id: number }>({ ...level.params, id: Joi.number().integer().required() });
  }

  async #showList(context: RouteContext<S>, values = emptyValues, flash?: Flash) {
    const level = this.#level;
    const { items } = await this.#applications.list(level.ownerId(context), { limit: maxListed, offset: 0 });
    const above = await level.above?.(context);
    return level.frame(context, {
      title: t.later('settings.title'),
      flash,
      status: formStatus(flash),
      body: (
        <div>
          {above}
          <ApplicationList note={level.note} applications={items} values={values} base={level.base(context)} />
        </div>
      ),
    });
  }

  #showForm(
    context: RouteContext<S>,
    application: OAuth2Application,
    { secret, values = shown(application), flash }: { secret?: string; values?: Values; flash?: Flash } = {},
  ) {
    const base = this.#level.base(context);
    return this.#level.frame(context, {
      title: application.name,
      flash,
      status: formStatus(flash),
      body: <EditApplication {...{ application, secret, values, base }} />,
    });
  }

  async #own(context: OwnContext<S>): Promise<OAuth2Application> {
    const application = await this.#applications.byId(context.params.id);
    if (application?.ownerId !== this.#level.ownerId(context) || application.isBuiltIn) throw NotFound('application');
    return application;
  }

  list(): Route {
    return pageRoute(
      this.#level.path,
      this.#level.access,
      (context) => this.#showList(context, emptyValues, savedFlash(context.query)),
      { params: Joi.object(this.#level.params) },
    );
  }

  create(): Route {
    return postRoute(
      this.#level.path,
      this.#level.access,
      async (context) => {
        const values = valuesOf((context.payload ?? {}) as FormValues);
        try {
          const ownerId = this.#level.ownerId(context);
          const { application, secret } = await this.#applications.create(ownerId, given(values));
          return await this.#showForm(context, application, { secret });
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return this.#showList(context, values, refusedFlash(error));
        }
      },
      { params: Joi.object(this.#level.params) },
    );
  }

  form(): Route {
    return pageRoute(
      `${this.#level.path}/{id}`,
      this.#level.access,
      async (context) => this.#showForm(context, await this.#own(context)),
      { params: this.#one },
    );
  }

  update(): Route {
    return postRoute(
      `${this.#level.path}/{id}`,
      this.#level.access,
      async (context) => {
        const before = await this.#own(context);
        const values = valuesOf((context.payload ?? {}) as FormValues);
        try {
          const { application, secret } = await this.#applications.update(before.id, given(values));
          return await this.#showForm(context, application, { secret });
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return this.#showForm(context, before, { values, flash: refusedFlash(error) });
        }
      },
      { params: this.#one },
    );
  }

  delete(): Route {
    return postRoute(
      `${this.#level.path}/{id}/delete`,
      this.#level.access,
      async (context) => {
        await this.#applications.delete((await this.#own(context)).id);
        return reply.redirect(`${this.#level.base(context)}?saved=1`);
      },
      { params: this.#one },
    );
  }
}

export function applicationPages<S>(applications: OAuth2Applications, level: ApplicationLevel<S>): readonly Route[] {
  const pages = new ApplicationPages(applications, level);
  return [pages.list(), pages.create(), pages.form(), pages.update(), pages.delete()];
}
