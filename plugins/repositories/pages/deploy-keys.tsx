import {
  Blankslate,
  Ago,
  Csrf,
  Invalid,
  Section,
  TextField,
  checkFields,
  pageRoute,
  icon,
  type Route,
  formRoute,
  isChecked,
  savedFlash,
  formStatus,
  formText,
  type Flash,
  type FormValues,
  formId,
} from '@mortise/plugin-sdk';
import { administerPage, repositoryHome, repositoryPageContext, type RepositoryRoute } from '../api.js';
import { Check, RemoveButton } from './form-fields.js';
import { type PageDeps } from './page-deps.js';
import { t } from '../texts/index.js';

const maxTitleLength = 50;

type DeployKeyPageRouteDeps = Pick<PageDeps, 'deployKeys' | 'layout' | 'site'>;

/** What these routes share. */
function deployKeyPageContext(services: DeployKeyPageRouteDeps) {
  const { deployKeys, layout } = services;
  const page = async (context: RepositoryRoute, given: FormValues = {}, flash?: Flash) => {
    const { repository } = context.resource;
    const action = `${repositoryHome(services.site, repository)}/settings/keys`;
    const { items } = await deployKeys.list(repository.id, { limit: 200, offset: 0 });
    return layout.settingsPage(repositoryPageContext(context), 'keys', () => ({
      title: t('keys.title'),
      status: formStatus(flash),
      flash,
      body: (
        <>
          <Section title={t('keys.title')}>
            <p class="color-fg-muted">{t('keys.about')}</p>
            <ul class="Box list-style-none mb-4">
              {items.length === 0 ? (
                <li>
                  <Blankslate title={t('keys.none')} icon="key" level={3} plain />
                </li>
              ) : null}
              {items.map((key) => (
                <li class="Box-row d-flex flex-wrap flex-items-center gap-2">
                  {icon('key')}
                  <div class="list-main">
                    <strong>{key.title}</strong>{' '}
                    <span class="Label">{t(key.read_only ? 'keys.readOnly' : 'keys.readWrite')}</span>
                    <code class="d-block f6 wb-break-all">{key.fingerprint}</code>
                    <span class="f6 color-fg-muted">
                      {t.rich('keys.added', { when: <Ago time={Number(key.created_at)} /> })} ·{' '}
                      {Number(key.last_used_at)
                        ? t.rich('keys.used', { when: <Ago time={Number(key.last_used_at)} /> })
                        : t('keys.unused')}
                    </span>
                  </div>
                  <RemoveButton
                    action={action}
                    remove={key.id}
                    name={key.title}
                    confirm={t('keys.removeConfirm', { title: key.title })}
                  />
                </li>
              ))}
            </ul>
          </Section>
          <Section title={t('keys.add')}>
            <form method="post" action={action}>
              <Csrf />
              <TextField
                name="title"
                label={t('keys.name')}
                required
                maxLength={maxTitleLength}
                value={formText(given, 'title')}
              />
              <TextField
                name="key"
                label={t('keys.key')}
                note={t('keys.keyNote')}
                lines={4}
                required
                placeholder={t('keys.example')}
                value={formText(given, 'key', 20_000)}
                spellcheck={false}
                mono
              />
              <Check name="write" label={t('keys.write')} checked={isChecked(given, 'write')} />
              <button class="btn btn-primary mt-2" type="submit">
                {t('keys.add')}
              </button>
            </form>
          </Section>
        </>
      ),
    }));
  };
  return { page, deployKeys, services };
}

type DeployKeyPageRouteContext = ReturnType<typeof deployKeyPageContext>;

const deployKeyList = ({ page }: DeployKeyPageRouteContext) =>
  pageRoute('/{owner}/{repo}/settings/keys', administerPage, (context) => page(context, {}, savedFlash(context.query)));

const changeDeployKeys = ({ deployKeys, services, page }: DeployKeyPageRouteContext) =>
  formRoute(
    '/{owner}/{repo}/settings/keys',
    administerPage,
    async (context, values) => {
      const { repository } = context.resource;
      const removed = formId(values, 'remove');
      const title = formText(values, 'title', 51);
      const key = formText(values, 'key', 20_000);
      if (removed) await deployKeys.remove(repository.id, removed);
      else {
        await checkFields({
          title: () => {
            if (!title || title.length > maxTitleLength)
              throw Invalid(t.later('error.keyTitle', { max: maxTitleLength }));
          },
          key: () => deployKeys.check(key),
        });
        await deployKeys.add(repository.id, { title, key, readOnly: !isChecked(values, 'write') });
      }
      return `${repositoryHome(services.site, repository)}/settings/keys?saved=1`;
    },
    page,
  );

/** Keys that reach this repository only. */
export function deployKeyPageRoutes(services: DeployKeyPageRouteDeps): Route[] {
  const context = deployKeyPageContext(services);
  return [deployKeyList(context), changeDeployKeys(context)];
}
