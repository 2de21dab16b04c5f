import type { VNode } from 'preact';
import {
  CheckField,
  Csrf,
  Forbidden,
  formRoute,
  formStatus,
  formText,
  isChecked,
  pageRoute,
  TextField,
  webPage,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  repositoryHome,
  RepositoryNameField,
  RepositoryOwnerField,
  type RepositoryCreator,
} from '@mortise/repositories/api';
import type { PullMirrors } from '../contract/mirrors.js';
import type { MirrorSettings } from '../settings.js';
import { shortInterval } from '../services/interval.js';
import { t } from '../texts/index.js';
import { PullOptionFields, pullOptionInput, RemoteFields, remoteInput, ScheduleFields } from './mirror-fields.js';

interface NewMirrorPageDeps {
  readonly pullMirrors: PullMirrors;
  readonly creator: RepositoryCreator;
  readonly site: Site;
  readonly settings: Readonly<MirrorSettings>;
}

const path = '/repo/mirror';
const access = { actor: 'user' } as const;

/** The form for a new repository that follows another one. */
export function newMirrorPages({ pullMirrors, creator, site, settings }: NewMirrorPageDeps): Route[] {
  const mustBeAllowed = ({ actor }: RouteContext) => {
    if (!pullMirrors.mayCreate(actor)) throw Forbidden(t.later('error.pullOff'));
  };
  const page = async (context: RouteContext, sent?: FormValues, flash?: Flash) => {
    mustBeAllowed(context);
    const owners = await creator.owners(context.actor);
    const action = site.path(path);
    return webPage(() => ({
      title: t('new.title'),
      width: 'narrow',
      status: formStatus(flash),
      flash,
      body: <NewMirrorForm action={action} owners={owners} sent={sent} settings={settings} />,
    }));
  };
  return [
    pageRoute(path, access, (context) => page(context)),
    formRoute(
      path,
      access,
      async (context, values) => {
        mustBeAllowed(context);
        const { actor, signal } = context;
        const owner = await creator.ownerFor(actor, formText(values, 'owner', 100) || undefined);
        return repositoryHome(site, await pullMirrors.create(inputOf(values), owner, actor, { signal }));
      },
      page,
    ),
  ];
}

const inputOf = (values: FormValues) => ({
  name: formText(values, 'repo_name', 101),
  description: formText(values, 'description'),
  isPrivate: isChecked(values, 'private'),
  ...remoteInput(values),
  ...pullOptionInput(values),
});

interface NewMirrorFormProps {
  readonly action: string;
  readonly owners: readonly Account[];
  readonly sent?: FormValues;
  readonly settings: Readonly<MirrorSettings>;
}

function NewMirrorForm({ action, owners, sent, settings }: NewMirrorFormProps): VNode {
  const text = (name: string) => (sent ? formText(sent, name) : '');
  return (
    <form method="post" action={action}>
      <h1 class="f2 mb-1">{t('new.title')}</h1>
      <p class="color-fg-muted">{t('new.about')}</p>
      <Csrf />
      <RemoteFields sent={sent} addressNote={t('field.addressNote')} autofocus />
      <RepositoryOwnerField owners={owners} value={text('owner')} />
      <RepositoryNameField value={text('repo_name')} />
      <TextField name="description" label={t('new.description')} maxLength={2048} value={text('description')} />
      <CheckField
        name="private"
        value="on"
        label={t('new.private')}
        note={t('new.privateNote')}
        checked={sent ? isChecked(sent, 'private') : false}
      />
      <ScheduleFields
        sent={sent}
        interval={shortInterval(settings.DEFAULT_INTERVAL)}
        minInterval={shortInterval(settings.MIN_INTERVAL)}
      />
      <PullOptionFields sent={sent} options={{ prune: true, wiki: false, lfs: false }} />
      <button class="btn btn-primary mt-2" type="submit">
        {t('new.create')}
      </button>
    </form>
  );
}
