import {
  Ago,
  Csrf,
  Invalid,
  Section,
  TextField,
  defineRoute,
  icon,
  type Route,
  formRoute,
  isChecked,
  savedFlash,
  formStatus,
  formText,
  type Flash,
  type FormValues,
} from '@mortise/plugin-sdk';
import { administerPage, repositoryHome, repositoryPlace, type RepositoryRoute } from '../api.js';
import { Check, RemoveButton } from './parts.js';
import { type PageServices } from './shared.js';

/** Keys that reach this repository only. */
export function deployKeyPageRoutes(services: Pick<PageServices, 'deployKeys' | 'layout' | 'site'>): Route[] {
  const { deployKeys, layout } = services;

  const page = async (context: RepositoryRoute, given: FormValues = {}, flash?: Flash) => {
    const { repository } = context.subject;
    const action = `${repositoryHome(services.site, repository)}/settings/keys`;
    const { items } = await deployKeys.list(repository.id, { limit: 200, offset: 0 });
    return layout.settingsPage(repositoryPlace(context), 'keys', {
      title: 'Deploy keys',
      status: formStatus(flash),
      flash,
      body: (
        <Section title="Deploy keys">
          <p class="color-fg-muted">
            An SSH key for machines: it opens this repository and nothing else. Give each machine a key of its own.
          </p>
          <ul class="Box list-style-none mb-4">
            {items.length === 0 ? <li class="Box-row color-fg-muted">None yet.</li> : null}
            {items.map((key) => (
              <li class="Box-row d-flex flex-wrap flex-items-center" style="gap: 12px">
                {icon('key')}
                <div class="flex-auto" style="min-width: 0">
                  <strong>{key.title}</strong> <span class="Label">{key.read_only ? 'read' : 'read and write'}</span>
                  <code class="d-block f6 wb-break-all">{key.fingerprint}</code>
                  <span class="f6 color-fg-muted">
                    Added <Ago time={Number(key.created_at)} />
                    {Number(key.last_used_at) ? (
                      <span>
                        , last used <Ago time={Number(key.last_used_at)} />
                      </span>
                    ) : (
                      ', never used'
                    )}
                  </span>
                </div>
                <RemoveButton
                  action={action}
                  csrf={context.csrf}
                  remove={key.id}
                  name={key.title}
                  confirm={`Remove the key ${key.title}? The machine that uses it is locked out.`}
                />
              </li>
            ))}
          </ul>
          <h3 class="f4 mb-2">Add a key</h3>
          <form method="post" action={action}>
            <Csrf token={context.csrf} />
            <TextField name="title" label="Title" required maxLength={50} value={formText(given, 'title')} />
            <TextField
              name="key"
              label="Key"
              note="As in the file that ends in .pub."
              lines={4}
              required
              placeholder="ssh-ed25519 AAAA… name"
              value={formText(given, 'key', 20_000)}
              spellcheck={false}
              mono
            />
            <Check name="write" label="May push too" checked={isChecked(given, 'write')} />
            <button class="btn btn-primary mt-2" type="submit">
              Add key
            </button>
          </form>
        </Section>
      ),
    });
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/settings/keys',
      surface: 'page',
      access: administerPage,
      handler: (context) => page(context, {}, savedFlash(context.query)),
    }),
    formRoute(
      '/{owner}/{repo}/settings/keys',
      administerPage,
      async (context, values) => {
        const { repository } = context.subject;
        const removed = Number(formText(values, 'remove'));
        const title = formText(values, 'title', 51);
        if (removed) await deployKeys.remove(repository.id, removed);
        else if (!title || title.length > 50) throw Invalid('the key needs a title of at most 50 characters');
        else
          await deployKeys.add(repository.id, {
            title,
            key: formText(values, 'key', 20_000),
            readOnly: !isChecked(values, 'write'),
          });
        return `${repositoryHome(services.site, repository)}/settings/keys?saved=1`;
      },
      page,
    ),
  ];
}
