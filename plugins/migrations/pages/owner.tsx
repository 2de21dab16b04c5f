import { randomUUID } from 'node:crypto';
import type { ComponentChildren, VNode } from 'preact';
import {
  Blankslate,
  Csrf,
  englishOf,
  Forbidden,
  formStatus,
  formText,
  icon,
  Invalid,
  Joi,
  pageRoute,
  postRoute,
  Problem,
  refusedFlash,
  reply,
  TextField,
  webPage,
  type Flash,
  type Text,
  type FormValues,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { RepositoryOwnerField } from '@mortise/repositories/api';
import type { MigrationSource } from '../api.js';
import type { ListedRepository } from '../contract/source.js';
import { authorMapping } from '../services/author-names.js';
import { atNamedServer, type OwnerList } from '../services/owner-list.js';
import { t } from '../texts/index.js';
import { AuthorFields, KindFields, SourceFields, kindsIn, valuesIn } from './import-form-fields.js';
import type { PageDeps } from './pages.js';
import { sourceText } from './source-list.js';

const maxListed = 500;
const listMs = 60_000;
const path = '/repo/migrate/owner';

const maxAddress = 2000;

function Choices({
  listed,
  chosen,
}: {
  readonly listed: readonly ListedRepository[];
  readonly chosen: ReadonlySet<string>;
}): VNode {
  if (listed.length === 0) return <Blankslate title={t('owner.none')} icon="repo" level={2} />;
  return (
    <ul class="Box list-style-none mb-3">
      {listed.map((one) => (
        <li key={one.address} class="Box-row">
          <label class="d-flex flex-items-center gap-2">
            <input type="checkbox" name="address" value={one.address} checked={chosen.has(one.address)} />
            <span class="flex-auto min-width-0 wb-break-word">
              <span class="text-bold">{one.fullName}</span>{' '}
              {one.isPrivate ? <span class="Label Label--secondary">{icon('lock')}</span> : null}{' '}
              {one.isFork ? <span class="Label Label--secondary">{icon('repo-forked')}</span> : null}
              {one.description ? <div class="f6 color-fg-muted">{one.description}</div> : null}
            </span>
          </label>
        </li>
      ))}
    </ul>
  );
}

interface Listed extends OwnerList {
  /** There are more than are listed. */
  readonly isCut: boolean;
  /** Fields of the source, and what signed in in the address of the owner. */
  readonly values: Readonly<Record<string, string>>;
}

const addressesIn = (values: FormValues): string[] => {
  // a body of JSON may hold anything
  const submitted: unknown = values.address;
  const all: readonly unknown[] = Array.isArray(submitted) ? submitted : [submitted];
  return [...new Set(all.filter((one) => typeof one === 'string'))]
    .slice(0, maxListed)
    .map((one) => one.slice(0, maxAddress));
};

interface Refusal {
  readonly name: string;
  readonly reason: Text;
}

/** Names those that could not begin; the others run. */
const refusals = (refused: readonly Refusal[], begun: string) => ({
  title: t('owner.refusedTitle'),
  width: 'narrow' as const,
  body: (
    <>
      <h1 class="f2 mb-1">{t('owner.refusedTitle')}</h1>
      <p>{t('owner.refused')}</p>
      <ul class="Box list-style-none mb-3">
        {refused.map(({ name, reason }) => (
          <li key={name} class="Box-row wb-break-word">
            {name}: {sourceText(reason)}
          </li>
        ))}
      </ul>
      <a class="btn btn-primary" href={begun}>
        {t('owner.begun')}
      </a>
    </>
  ),
});

interface View {
  readonly values?: FormValues;
  readonly flash?: Flash;
  readonly listed?: Listed;
}

/** What is chosen from the list, and what becomes of it. */
function ListFields({
  source,
  listed,
  values,
  children,
}: {
  readonly source: MigrationSource;
  readonly listed: Listed;
  readonly values: FormValues | undefined;
  readonly children: ComponentChildren;
}): VNode {
  const chosen = new Set(values ? addressesIn(values) : []);
  return (
    <>
      <p class="note">{t('owner.again')}</p>
      <Choices listed={listed.repositories} chosen={chosen} />
      {listed.isCut ? <p class="flash flash-warn">{t('owner.more', { max: maxListed })}</p> : null}
      {listed.alias ? <p class="note">{t('owner.alias', { server: listed.alias })}</p> : null}
      {listed.elsewhere.length ? (
        <p class="flash flash-warn">{t('owner.elsewhere', { hosts: listed.elsewhere.slice(0, 5).join(', ') })}</p>
      ) : null}
      <KindFields source={source} values={chosen.size ? values : undefined} />
      {children}
      <button class="btn btn-primary" type="submit" name="action" value="start">
        {t('owner.start')}
      </button>{' '}
    </>
  );
}

/** Everything of an organization or a user: names the owner, chooses from the list, and begins all of them at once. */
class OwnerImport {
  readonly #deps: PageDeps;

  constructor(deps: PageDeps) {
    this.#deps = deps;
  }

  sourceOf(key: string): MigrationSource {
    const source = this.#deps.service.sourceOf(key);
    if (!source.listRepositories) throw Invalid(t.later('error.noList'));
    return source;
  }

  /** What the source lists, as far as it can be imported with the credentials that were given for it. */
  async list(source: MigrationSource, values: FormValues): Promise<Listed> {
    const { service, importRunner } = this.#deps;
    const { address, credentials } = service.addressOf({ address: formText(values, 'owner_addr') });
    const optionValues = { ...credentials, ...valuesIn(source, values) };
    const options = { address, values: optionValues, kinds: new Set<never>() };
    const all: ListedRepository[] = [];
    let isCut = false;
    for await (const { items, next } of source.listRepositories!(
      options,
      importRunner.tools(AbortSignal.timeout(listMs)),
    )) {
      const usable = items.filter(({ address, fullName }) => address && fullName);
      const room = maxListed - all.length;
      isCut = usable.length > room || (usable.length === room && next !== undefined);
      all.push(...usable.slice(0, room));
      if (next === undefined || all.length >= maxListed) break;
    }
    return { ...atNamedServer(all, address), isCut, values: optionValues };
  }

  async form({ actor }: RouteContext, key: string, { values, flash, listed }: View = {}) {
    const { creator, settings, site } = this.#deps;
    const source = this.sourceOf(key);
    const owners = await creator.owners(actor);
    const title = () => t('owner.title', { source: sourceText(source.label) });
    return webPage(() => ({
      title: title(),
      width: 'narrow',
      flash,
      status: formStatus(flash),
      body: (
        <form method="post" action={site.path(path)}>
          <h1 class="f2 mb-1">{title()}</h1>
          <p class="color-fg-muted">{listed ? t('owner.choose') : t('owner.about')}</p>
          <Csrf />
          <input type="hidden" name="service" value={source.key} />
          <TextField
            name="owner_addr"
            label={t('owner.address')}
            placeholder="https://git.example/owner"
            maxLength={maxAddress}
            required
            value={values ? formText(values, 'owner_addr') : ''}
          />
          <SourceFields source={source} values={values} />
          {listed ? (
            <ListFields {...{ source, listed, values }}>
              <RepositoryOwnerField owners={owners} value={values ? formText(values, 'owner') : ''} />
              <AuthorFields values={undefined} by={settings.MAP_AUTHORS} isAdmin={actor.isAdmin} />
            </ListFields>
          ) : null}
          <button class={listed ? 'btn' : 'btn btn-primary'} type="submit" name="action" value="list">
            {t('owner.list')}
          </button>
        </form>
      ),
    }));
  }

  /** Those that cannot begin are named; the others run. */
  async start({ actor }: RouteContext, source: MigrationSource, values: FormValues) {
    const { accounts, creator, service, settings, site } = this.#deps;
    const selected = new Set(addressesIn(values));
    if (selected.size === 0) throw Invalid(t.later('error.nothingChosen'));
    const owner = await creator.ownerFor(actor, formText(values, 'owner') || undefined);
    const mapping = { by: formText(values, 'map_authors'), lines: formText(values, 'authors', 20_000) };
    const authors = await authorMapping(mapping, settings.MAP_AUTHORS, actor, accounts);
    // of what the source lists now: nobody brings an address of their own in
    const list = await this.list(source, values);
    const chosen = list.repositories.filter(({ address }) => selected.has(address));
    const batch = randomUUID();
    const listedNow = new Set(chosen.map(({ address }) => address));
    const gone = [...selected].filter((address) => !listedNow.has(address));
    const refused: Refusal[] = gone.map((name) => ({ name, reason: t.later('owner.gone') }));
    for (const { address, name, isPrivate } of chosen) {
      const request = {
        service: source.key,
        address,
        name,
        isPrivate,
        description: '',
        kinds: kindsIn(source, values),
        values: list.values,
        lfsEndpoint: '',
        authors,
        batch,
      };
      await service.start(request, owner, actor).catch((error: unknown) => {
        if (!Problem.is(error)) throw error;
        refused.push({ name, reason: error.text });
      });
    }
    if (refused.length === selected.size) {
      const reasons = refused.slice(0, 5).map(({ name, reason }) => `${name}: ${englishOf(reason)}`);
      throw Invalid(t.later('error.noneBegun', { reasons: reasons.join('; ') }));
    }
    const begun = site.path(`/user/migrations?batch=${batch}`);
    return refused.length ? webPage(() => refusals(refused, begun)) : reply.redirect(begun);
  }
}

const ownerPage = ({ isDisabled, site }: PageDeps, imports: OwnerImport): Route =>
  pageRoute(path, { actor: 'user' }, (context) => {
    if (isDisabled) throw Forbidden(t.later('error.disabled'));
    const { service: key } = context.query as { readonly service?: unknown };
    return typeof key === 'string' && key ? imports.form(context, key) : reply.redirect(site.path('/repo/migrate'));
  });

const listOrStart = ({ isDisabled }: PageDeps, imports: OwnerImport): Route =>
  postRoute(
    path,
    { actor: 'user' },
    async (context) => {
      const values = context.payload as FormValues;
      const key = formText(values, 'service');
      try {
        if (isDisabled || context.actor.publicOnly) throw Forbidden(t.later('error.disabled'));
        const source = imports.sourceOf(key);
        if (formText(values, 'action') === 'start') return await imports.start(context, source, values);
        return await imports.form(context, key, { values, listed: await imports.list(source, values) });
      } catch (error) {
        return imports.form(context, key, { values, flash: refusedFlash(error) });
      }
    },
    { payload: Joi.object().unknown() },
  );

export function ownerPages(deps: PageDeps): Route[] {
  const imports = new OwnerImport(deps);
  return [ownerPage(deps, imports), listOrStart(deps, imports)];
}
