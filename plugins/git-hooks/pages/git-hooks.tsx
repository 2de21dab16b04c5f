import {
  Csrf,
  Section,
  TextField,
  defineRoute,
  type Route,
  type Site,
  formRoute,
  savedFlash,
  formStatus,
  formText,
  type Flash,
  type FormValues,
} from '@mortise/plugin-sdk';
import {
  administerPage,
  repositoryHome,
  repositoryPlace,
  type RepositoryPages,
  type RepositoryRoute,
} from '@mortise/repositories/api';
import type { GitHookService } from '../services/git-hooks.js';

const mostText = 256 * 1024;

const about: Readonly<Record<string, string>> = {
  'pre-receive': 'Before anything moves: old id, new id and reference of each, one a line, on standard input.',
  update: 'Before each reference moves: reference, old id and new id as arguments.',
  'post-receive': 'After all have moved; what it does changes nothing any more.',
};

/** Scripts that run when the repository changes; only where they are allowed at all. */
export function gitHookPageRoutes(services: {
  readonly hooks: GitHookService;
  readonly pages: RepositoryPages;
  readonly site: Site;
}): Route[] {
  const { hooks, pages } = services;
  const page = async (context: RepositoryRoute, given: FormValues = {}, flash?: Flash) => {
    await hooks.mayEdit(context.actor);
    const { repository } = context.subject;
    const list = await hooks.list(repository.id);
    return pages.settingsPage(repositoryPlace(context), 'git-hooks', {
      title: 'Git hooks',
      status: formStatus(flash),
      flash,
      body: (
        <Section title="Git hooks">
          <p class="color-fg-muted">
            Scripts that this machine runs when references of the repository change. One that ends with another code
            than 0 refuses the change. They start with <code>#!</code> and a program, else the shell runs them.
          </p>
          {list.map(({ name, content }) => (
            <form method="post" action={`${repositoryHome(services.site, repository)}/settings/git-hooks`} class="mb-4">
              <Csrf token={context.csrf} />
              <input type="hidden" name="name" value={name} />
              <TextField
                id={`hook-${name}`}
                name="content"
                label={name}
                note={about[name]}
                lines={content ? 12 : 3}
                value={formText(given, 'name') === name ? formText(given, 'content', mostText) : content}
                spellcheck={false}
                mono
              />
              <button class="btn btn-sm" type="submit">
                Save {name}
              </button>
            </form>
          ))}
        </Section>
      ),
    });
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/settings/git-hooks',
      surface: 'page',
      access: administerPage,
      handler: (context) => page(context, {}, savedFlash(context.query)),
    }),
    formRoute(
      '/{owner}/{repo}/settings/git-hooks',
      administerPage,
      async (context, values) => {
        await hooks.mayEdit(context.actor);
        const { repository } = context.subject;
        await hooks.set(repository.id, formText(values, 'name'), formText(values, 'content', mostText));
        return `${repositoryHome(services.site, repository)}/settings/git-hooks?saved=1`;
      },
      page,
    ),
  ];
}
