import type { VNode } from 'preact';
import {
  Csrf,
  defineRoute,
  icon,
  Invalid,
  Joi,
  PostButton,
  Problem,
  reply,
  Section,
  TextField,
  type PageOptions,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import { repositorySubject, type RepositoryContext, type RepositoryPages } from '@mortise/repositories/api';
import { changing, createTagRule } from '../routes/schemas.js';
import type { Names } from '../services/fields.js';
import { presentTagRules } from '../services/present.js';
import type { TagRuleService } from '../services/tag-rules.js';
import { splitNames } from './branches.js';
import { Part } from './parts.js';

export interface TagPageParts {
  readonly tagRules: TagRuleService;
  readonly names: Names;
  readonly pages: RepositoryPages;
  readonly site: Site;
}

type Context = RouteContext<RepositoryContext>;
type TagFields = Readonly<Record<string, unknown>>;

const one = Joi.object({
  owner: Joi.string().required(),
  repo: Joi.string().required(),
  id: Joi.number().integer().min(1).required(),
});

const words = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');

interface TagFormProps {
  readonly action: string;
  readonly csrf: string;
  readonly title: string;
  readonly fields: TagFields;
  readonly teams: readonly string[];
}

function TagForm({ action, csrf, title, fields, teams }: TagFormProps): VNode {
  return (
    <form method="post" action={action}>
      <Csrf token={csrf} />
      <Part title={title}>
        <TextField
          name="name_pattern"
          label="Tag or pattern"
          value={String(fields.name_pattern ?? '')}
          required
          placeholder="v*"
          note={
            <>
              A name, a pattern with <code>*</code>, <code>?</code>, <code>[ab]</code> and <code>{'{a,b}'}</code>, or a
              regular expression between slashes: <code>{'/^v[0-9]+$/'}</code>.
            </>
          }
        />
        <TextField
          name="whitelist_usernames"
          label="People who may create, move and delete such tags"
          value={words(fields.whitelist_usernames)}
          note="Names of accounts, separated by commas. Nobody else may, administrators included."
        />
        {teams.length > 0 ? (
          <TextField
            name="whitelist_teams"
            label="Teams who may"
            value={words(fields.whitelist_teams)}
            note={`Separated by commas. There are: ${teams.join(', ')}.`}
          />
        ) : null}
        <button class="btn btn-primary mt-2" type="submit">
          Save rule
        </button>
      </Part>
    </form>
  );
}

function TagList({ base, csrf, rules }: { base: string; csrf: string; rules: readonly TagFields[] }): VNode {
  if (rules.length === 0) {
    return (
      <div class="blankslate Box mb-3">
        <h3 class="blankslate-heading">No tag is protected yet</h3>
        <p>Everyone who may write can create, move and delete every tag.</p>
      </div>
    );
  }
  return (
    <ul class="Box list-style-none mb-3">
      {rules.map((rule) => (
        <li key={String(rule.id)} class="Box-row d-flex flex-items-center flex-wrap" style="gap: 12px">
          <div class="flex-auto" style="min-width: 180px; overflow-wrap: anywhere">
            <a class="text-bold" href={`${base}/${String(rule.id)}`}>
              {icon('tag')} {String(rule.name_pattern)}
            </a>
            <div class="color-fg-muted text-small">
              {[words(rule.whitelist_usernames), words(rule.whitelist_teams)].filter(Boolean).join(', ') || 'nobody'}
            </div>
          </div>
          <div class="d-flex flex-shrink-0" style="gap: 8px">
            <a
              class="btn btn-sm"
              href={`${base}/${String(rule.id)}`}
              aria-label={`Edit the rule ${String(rule.name_pattern)}`}
            >
              Edit
            </a>
            <PostButton
              action={`${base}/${String(rule.id)}/delete`}
              csrf={csrf}
              label={`Remove the rule ${String(rule.name_pattern)}`}
              confirm={`Remove the rule ${String(rule.name_pattern)}? It protects nothing any more.`}
              danger
            >
              Remove
            </PostButton>
          </div>
        </li>
      ))}
    </ul>
  );
}

function fieldsOf(form: Readonly<Record<string, unknown>>): TagFields {
  return {
    name_pattern: typeof form.name_pattern === 'string' ? form.name_pattern.trim() : '',
    whitelist_usernames: splitNames(form.whitelist_usernames),
    ...(form.whitelist_teams === undefined ? {} : { whitelist_teams: splitNames(form.whitelist_teams) }),
  };
}

/** Settings → Tags: who may touch which tags. */
export function tagPages({ tagRules, names, pages, site }: TagPageParts): readonly Route[] {
  const access = { actor: 'user', subject: repositorySubject, mode: 'admin' } as const;
  const path = '/{owner}/{repo}/settings/tags';
  const base = ({ subject: { repository } }: Context) =>
    site.path(`/${repository.ownerName}/${repository.name}/settings/tags`);
  const frame = ({ subject, actor, csrf }: Context, title: string, body: VNode, error?: string) => {
    const refused: Partial<PageOptions> = error ? { status: 422, flash: { kind: 'error', text: error } } : {};
    return pages.settingsPage({ context: subject, actor, csrf }, 'tags', { title, body, ...refused });
  };
  const teamsOf = async (context: Context) =>
    (await names.teamsOf(context.subject.repository.ownerId)).map(({ name }) => name);

  const list = async (context: Context, fields: TagFields = {}, error?: string) => {
    const rules = await presentTagRules(names, await tagRules.list(context.subject.repository.id));
    const form = {
      action: base(context),
      csrf: context.csrf,
      title: 'New rule',
      fields,
      teams: await teamsOf(context),
    };
    return frame(
      context,
      'Protected tags',
      <Section title="Protected tags">
        <p class="color-fg-muted">
          Tags that fit a rule are created, moved and deleted only by those on its list; releases on them as well.
        </p>
        <TagList base={base(context)} csrf={context.csrf} rules={rules} />
        <TagForm {...form} />
      </Section>,
      error,
    );
  };

  const edit = async (context: Context, id: number, fields: TagFields, error?: string) =>
    frame(
      context,
      'Protected tag',
      <TagForm
        action={`${base(context)}/${id}`}
        csrf={context.csrf}
        title="Rule for tags"
        fields={fields}
        teams={await teamsOf(context)}
      />,
      error,
    );

  /** Saves what was sent; a refusal is shown on the form with what was typed. */
  const save = async (
    context: Context,
    work: (pattern: string, users: string[], teams: string[] | undefined) => Promise<unknown>,
    again: (fields: TagFields, error: string) => Promise<unknown>,
  ) => {
    changing(context.subject);
    const fields = fieldsOf(context.payload);
    try {
      const { error } = createTagRule.validate(fields);
      if (error) throw Invalid(error.message);
      if (!fields.name_pattern) throw Invalid('a rule needs a tag or a pattern');
      await work(
        fields.name_pattern as string,
        fields.whitelist_usernames as string[],
        fields.whitelist_teams as string[] | undefined,
      );
      return reply.redirect(base(context));
    } catch (error) {
      if (!Problem.is(error) || !['invalid', 'forbidden'].includes(error.code)) throw error;
      return again(fields, error.message);
    }
  };

  return [
    defineRoute<RepositoryContext>({
      method: 'GET',
      path,
      surface: 'page',
      access,
      handler: (context) => list(context),
    }),
    defineRoute<RepositoryContext>({
      method: 'POST',
      path,
      surface: 'page',
      access,
      payload: { as: 'form' },
      handler: (context) =>
        save(
          context,
          async (pattern, users, teams) => {
            const { repository } = context.subject;
            if (users.length === 0 && !teams?.length) throw Invalid('a rule needs somebody on its list');
            await tagRules.create(repository.id, pattern, await names.list(repository.ownerId, users, teams));
          },
          (fields, error) => list(context, fields, error),
        ),
    }),
    defineRoute<RepositoryContext>({
      method: 'GET',
      path: `${path}/{id}`,
      surface: 'page',
      access,
      request: { params: one },
      handler: async (context) => {
        const rule = await tagRules.byId(context.subject.repository.id, context.params.id);
        return edit(context, rule.id, (await presentTagRules(names, [rule]))[0]!);
      },
    }),
    defineRoute<RepositoryContext>({
      method: 'POST',
      path: `${path}/{id}`,
      surface: 'page',
      access,
      payload: { as: 'form' },
      request: { params: one },
      handler: async (context) => {
        const { repository } = context.subject;
        const rule = await tagRules.byId(repository.id, context.params.id);
        return save(
          context,
          async (namePattern, users, teams) => {
            const allowlist = await names.list(repository.ownerId, users, teams, rule.allowlist);
            await tagRules.edit(rule, { namePattern, allowlist });
          },
          (fields, error) => edit(context, rule.id, fields, error),
        );
      },
    }),
    defineRoute<RepositoryContext>({
      method: 'POST',
      path: `${path}/{id}/delete`,
      surface: 'page',
      access,
      payload: { as: 'form' },
      request: { params: one },
      handler: async (context) => {
        await tagRules.delete(await tagRules.byId(changing(context.subject).id, context.params.id));
        return reply.redirect(base(context));
      },
    }),
  ];
}
