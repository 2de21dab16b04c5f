import {
  Csrf,
  Section,
  TextField,
  pageRoute,
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
  repositoryPageContext,
  type RepositoryPages,
  type RepositoryRoute,
} from '@mortise/repositories/api';
import type { GitHookService } from '../services/git-hooks.js';
import { t } from '../texts/index.js';

const maxTextBytes = 256 * 1024;

/** Scripts that run when the repository changes; only where they are allowed at all. */
export function gitHookPageRoutes(services: {
  readonly hooks: GitHookService;
  readonly pages: RepositoryPages;
  readonly site: Site;
}): Route[] {
  const { hooks, pages } = services;
  const page = async (context: RepositoryRoute, given: FormValues = {}, flash?: Flash) => {
    await hooks.mayEdit(context.actor);
    const { repository } = context.resource;
    const list = await hooks.list(repository.id);
    return pages.settingsPage(repositoryPageContext(context), 'git-hooks', () => ({
      title: t('hooks.title'),
      status: formStatus(flash),
      flash,
      body: (
        <Section title={t('hooks.title')}>
          <p class="color-fg-muted">{t.rich('hooks.about', { code: (children) => <code>{children}</code> })}</p>
          {list.map(({ name, content }) => (
            <form method="post" action={`${repositoryHome(services.site, repository)}/settings/git-hooks`} class="mb-4">
              <Csrf />
              <input type="hidden" name="name" value={name} />
              <TextField
                id={`hook-${name}`}
                name="content"
                label={name}
                note={t(`hooks.note.${name}`)}
                lines={content ? 12 : 3}
                value={formText(given, 'name') === name ? formText(given, 'content', maxTextBytes) : content}
                spellcheck={false}
                mono
              />
              <button class="btn btn-sm" type="submit">
                {t('hooks.save', { name })}
              </button>
            </form>
          ))}
        </Section>
      ),
    }));
  };

  return [
    pageRoute('/{owner}/{repo}/settings/git-hooks', administerPage, (context) =>
      page(context, {}, savedFlash(context.query)),
    ),
    formRoute(
      '/{owner}/{repo}/settings/git-hooks',
      administerPage,
      async (context, values) => {
        await hooks.mayEdit(context.actor);
        const { repository } = context.resource;
        await hooks.set(repository.id, formText(values, 'name'), formText(values, 'content', maxTextBytes));
        return `${repositoryHome(services.site, repository)}/settings/git-hooks?saved=1`;
      },
      page,
    ),
  ];
}
