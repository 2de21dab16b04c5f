import type { VNode } from 'preact';
import {
  Blankslate,
  checkFields,
  Csrf,
  formStatus,
  icon,
  Invalid,
  invalidInput,
  Joi,
  pageRoute,
  PostButton,
  postRoute,
  Problem,
  refusedFlash,
  reply,
  Section,
  TextField,
  textOf,
  type Flash,
  type Route,
  type RawForm,
  type RouteContext,
  type Site,
  type Text,
} from '@mortise/plugin-sdk';
import { repositoryResource, type RepositoryContext, type RepositoryPages } from '@mortise/repositories/api';
import { changing, createTagRule } from '../routes/schemas.js';
import type { AllowlistNames } from '../services/rule-fields.js';
import { checkTagPattern } from '../services/patterns.js';
import { presentTagRules } from '../services/rule-presenters.js';
import type { TagRuleService } from '../services/tag-rules.js';
import { AllowList, namesOf } from './allow-list.js';
import { code, examples, FormSection } from './form-section.js';
import { TagSentence } from './rule-words.js';
import { userFieldIslands } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

interface TagPageDeps {
  readonly tagRules: TagRuleService;
  readonly names: AllowlistNames;
  readonly pages: RepositoryPages;
  readonly site: Site;
}

type Context = RouteContext<RepositoryContext>;
type TagFields = Readonly<Record<string, unknown>>;

const one = Joi.object<{ readonly owner: string; readonly repo: string; readonly id: number }>({
  owner: Joi.string().required(),
  repo: Joi.string().required(),
  id: Joi.number().integer().min(1).required(),
});

interface TagFormProps {
  readonly action: string;
  readonly title: Text;
  readonly fields: TagFields;
  readonly teams: readonly string[];
}

function TagForm({ action, title, fields, teams }: TagFormProps): VNode {
  return (
    <form method="post" action={action}>
      <Csrf />
      <FormSection title={textOf(title)}>
        <TextField
          name="name_pattern"
          label={t('tags.pattern')}
          value={String(fields.name_pattern ?? '')}
          required
          placeholder={examples.tag}
          note={
            <>
              {t.rich('tags.patternNote', {
                star: code('*'),
                question: code('?'),
                set: code('[ab]'),
                words: code('{a,b}'),
                expression: code('/^v[0-9]+$/'),
              })}
            </>
          }
        />
        <AllowList
          usersLabel={t('tags.users')}
          teamsLabel={t('tags.teams')}
          usersNote={t('tags.usersNote')}
          users="whitelist_usernames"
          teams="whitelist_teams"
          fields={fields}
          known={teams}
        />
        {'created_at' in fields ? <TagSentence fields={fields} /> : null}
        <button class="btn btn-primary mt-2" type="submit">
          {t('rule.save')}
        </button>
      </FormSection>
    </form>
  );
}

function TagList({ base, rules }: { base: string; rules: readonly TagFields[] }): VNode {
  if (rules.length === 0) {
    return (
      <Blankslate title={t('tags.none')} icon="tag" level={3}>
        <p>{t('tags.noneNote')}</p>
      </Blankslate>
    );
  }
  return (
    <ul class="Box list-style-none mb-3">
      {rules.map((rule) => (
        <li key={String(rule.id)} class="Box-row d-flex flex-items-center flex-wrap gap-2">
          <div class="list-main">
            <a class="text-bold" href={`${base}/${String(rule.id)}`}>
              {icon('tag')} {String(rule.name_pattern)}
            </a>
            <TagSentence fields={rule} />
          </div>
          <div class="d-flex flex-shrink-0 gap-2">
            <a
              class="btn btn-sm"
              href={`${base}/${String(rule.id)}`}
              aria-label={t('list.editOf', { name: String(rule.name_pattern) })}
            >
              {t('list.edit')}
            </a>
            <PostButton
              action={`${base}/${String(rule.id)}/delete`}
              label={t('list.deleteOf', { name: String(rule.name_pattern) })}
              confirm={t('tags.deleteConfirm', { name: String(rule.name_pattern) })}
              danger
            >
              {t('list.delete')}
            </PostButton>
          </div>
        </li>
      ))}
    </ul>
  );
}

interface TagRulesProps {
  readonly base: string;
  readonly rules: readonly TagFields[];
  readonly form: TagFormProps;
}

const TagRules = ({ form, ...list }: TagRulesProps): VNode => (
  <Section title={t('tags.title')}>
    <p class="color-fg-muted">{t('tags.about')}</p>
    <TagList {...list} />
    <TagForm {...form} />
  </Section>
);

function fieldsOf(form: Readonly<Record<string, unknown>>): TagFields {
  return {
    name_pattern: typeof form.name_pattern === 'string' ? form.name_pattern.trim() : '',
    whitelist_usernames: namesOf(form.whitelist_usernames),
    ...(form.whitelist_teams === undefined ? {} : { whitelist_teams: namesOf(form.whitelist_teams) }),
  };
}

const access = { actor: 'user', resource: repositoryResource, mode: 'admin' } as const;

const path = '/{owner}/{repo}/settings/tags';

const usersOf = (fields: TagFields) => fields.whitelist_usernames as string[];

const groupsOf = (fields: TagFields) => fields.whitelist_teams as string[] | undefined;

/** What these routes share. */
function tagContext({ tagRules, names, pages, site }: TagPageDeps) {
  const base = ({ resource: { repository } }: Context) =>
    site.path(`/${repository.ownerName}/${repository.name}/settings/tags`);
  const frame = ({ resource, actor }: Context, title: Text, body: VNode, flash?: Flash) =>
    pages.settingsPage({ context: resource, actor }, 'tags', {
      title,
      body,
      status: formStatus(flash),
      flash,
      islands: userFieldIslands,
    });
  const teamsOf = async (context: Context) =>
    (await names.teamsOf(context.resource.repository.ownerId)).map(({ name }) => name);
  const list = async (context: Context, fields: TagFields = {}, flash?: Flash) => {
    const rules = await presentTagRules(names, await tagRules.list(context.resource.repository.id));
    const form = {
      action: base(context),
      title: t.later('rule.new'),
      fields,
      teams: await teamsOf(context),
    };
    return frame(context, t.later('tags.title'), <TagRules base={base(context)} rules={rules} form={form} />, flash);
  };
  const edit = async (context: Context, id: number, fields: TagFields, flash?: Flash) =>
    frame(
      context,
      t.later('tags.one'),
      <TagForm
        action={`${base(context)}/${id}`}
        title={t.later('tags.one')}
        fields={fields}
        teams={await teamsOf(context)}
      />,
      flash,
    );
  const knownNames =
    ({ resource }: Context) =>
    (fields: TagFields) => ({
      whitelist_usernames: () => names.list(resource.repository.ownerId, usersOf(fields), null),
      whitelist_teams: () => names.list(resource.repository.ownerId, null, groupsOf(fields)),
    });
  const somebody = (context: Context, fields: TagFields) => {
    if (usersOf(fields).length === 0 && !groupsOf(fields)?.length) throw Invalid(t.later('error.tagPeople'));
    return knownNames(context)(fields).whitelist_usernames();
  };
  /** Saves what was sent; a refusal is shown on the form with what was typed. */
  const save = async (
    context: Context,
    checks: (fields: TagFields) => Readonly<Record<string, () => unknown>>,
    work: (pattern: string, users: string[], teams: string[] | undefined) => Promise<unknown>,
    again: (fields: TagFields, flash: Flash) => Promise<unknown>,
  ) => {
    changing(context.resource);
    const fields = fieldsOf(context.payload as RawForm);
    try {
      const { error } = createTagRule.validate(fields, { abortEarly: false });
      if (error) throw invalidInput(error, { name_pattern: t.later('tags.pattern') });
      await checkFields({ name_pattern: () => checkTagPattern(String(fields.name_pattern)), ...checks(fields) });
      await work(
        fields.name_pattern as string,
        fields.whitelist_usernames as string[],
        fields.whitelist_teams as string[] | undefined,
      );
      return reply.redirect(base(context));
    } catch (error) {
      if (!Problem.is(error) || !['invalid', 'forbidden'].includes(error.code)) throw error;
      return again(fields, refusedFlash(error));
    }
  };
  return { list, save, knownNames, somebody, tagRules, names, edit, base };
}

type TagPageContext = ReturnType<typeof tagContext>;

const ruleList = ({ list }: TagPageContext) => pageRoute(path, access, (context) => list(context));

const createRule = ({ save, knownNames, somebody, tagRules, names, list }: TagPageContext) =>
  postRoute(path, access, (context) =>
    save(
      context,
      (fields) => ({ ...knownNames(context)(fields), whitelist_usernames: () => somebody(context, fields) }),
      async (pattern, users, teams) => {
        const { repository } = context.resource;
        await tagRules.create(repository.id, pattern, await names.list(repository.ownerId, users, teams));
      },
      (fields, flash) => list(context, fields, flash),
    ),
  );

const rulePage = ({ tagRules, edit, names }: TagPageContext) =>
  pageRoute(
    `${path}/{id}`,
    access,
    async (context) => {
      const rule = await tagRules.byId(context.resource.repository.id, context.params.id);
      return edit(context, rule.id, (await presentTagRules(names, [rule]))[0]!);
    },
    { params: one },
  );

const saveRule = ({ tagRules, save, knownNames, names, edit }: TagPageContext) =>
  postRoute(
    `${path}/{id}`,
    access,
    async (context) => {
      const { repository } = context.resource;
      const rule = await tagRules.byId(repository.id, context.params.id);
      return save(
        context,
        knownNames(context),
        async (namePattern, users, teams) => {
          const allowlist = await names.list(repository.ownerId, users, teams, rule.allowlist);
          await tagRules.edit(rule, { namePattern, allowlist });
        },
        (fields, flash) => edit(context, rule.id, fields, flash),
      );
    },
    { params: one },
  );

const deleteRule = ({ tagRules, base }: TagPageContext) =>
  postRoute(
    `${path}/{id}/delete`,
    access,
    async (context) => {
      await tagRules.delete(await tagRules.byId(changing(context.resource).id, context.params.id));
      return reply.redirect(base(context));
    },
    { params: one },
  );

/** Settings → Tags: who may touch which tags. */
export function tagPages(deps: TagPageDeps): readonly Route[] {
  const context = tagContext(deps);
  return [ruleList(context), createRule(context), rulePage(context), saveRule(context), deleteRule(context)];
}
