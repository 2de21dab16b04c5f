import type { VNode } from 'preact';
import {
  checkFields,
  formStatus,
  invalidInput,
  Joi,
  pageRoute,
  postRoute,
  Problem,
  refusedFlash,
  reply,
  type Flash,
  type PageOptions,
  type PointReader,
  type Route,
  type RawForm,
  type RouteContext,
  type Site,
  type Text,
} from '@mortise/plugin-sdk';
import { isRefName, type GitReader } from '@mortise/git/api';
import { repositoryResource, type RepositoryContext, type RepositoryPages } from '@mortise/repositories/api';
import type { CheckContexts } from '../contract/branch-protection.js';
import { changing, ruleSchemas } from '../routes/schemas.js';
import type { BranchRuleService } from '../services/branch-rules.js';
import { changesOf, flagFields, listFields, type AllowlistNames } from '../services/rule-fields.js';
import type { RuleOptions } from '../services/rule-options.js';
import { checkFilePatterns, checkRuleName } from '../services/patterns.js';
import { presentBranchRules } from '../services/rule-presenters.js';
import type { AllowlistWriters } from '../services/allowlist-writers.js';
import { namesOf } from './allow-list.js';
import type { RuleFields } from './rule-controls.js';
import { RuleForm } from './rule-form.js';
import { RuleList } from './rule-list.js';
import { userFieldIslands } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

interface BranchPageDeps {
  readonly branchRules: BranchRuleService;
  readonly names: AllowlistNames;
  readonly writers: AllowlistWriters;
  readonly gitReader: GitReader;
  readonly pages: RepositoryPages;
  readonly site: Site;
  readonly contexts: PointReader<CheckContexts>;
}

type Context = RouteContext<RepositoryContext>;

/** Most branches compared with the rules for the list; the API returns the rest. */
const shownBranches = 2000;

const position = { owner: Joi.string().required(), repo: Joi.string().required() };
const one = Joi.object<{ readonly owner: string; readonly repo: string; readonly id: number }>({
  ...position,
  id: Joi.number().integer().min(1).required(),
});
/** Ids of rules, separated by commas, from the script; or the places that were typed. */
const newOrder = Joi.object<{ readonly ids?: string }>({
  ids: Joi.string()
    .pattern(/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/)
    .max(20_000),
}).pattern(/^place_\d{1,15}$/, Joi.string().allow('').max(15));
const direction = Joi.object<{ readonly to: 'up' | 'down' }>({ to: Joi.string().valid('up', 'down').required() });

/** What the form sends → fields of the API, checked like those. */
function fieldsOf(form: Readonly<Record<string, unknown>>, options: RuleOptions): RuleFields {
  const text = (name: string) => (typeof form[name] === 'string' ? form[name].trim() : '');
  const fields: Record<string, unknown> = options.fromForm(form);
  for (const flag of Object.keys(flagFields)) fields[flag] = form[flag] === 'true';
  fields.enable_push = form.push === 'all' || form.push === 'listed';
  fields.enable_push_whitelist = form.push === 'listed';
  fields.enable_force_push = form.force_push === 'all' || form.force_push === 'listed';
  fields.enable_force_push_allowlist = form.force_push === 'listed';
  fields.enable_merge_whitelist = form.merge === 'listed';
  for (const { users, teams } of listFields) {
    fields[users] = namesOf(form[users]);
    // without teams to choose from the form has no field for them
    if (form[teams] !== undefined) fields[teams] = namesOf(form[teams]);
  }
  fields.rule_name = text('rule_name');
  fields.required_approvals = Number(text('required_approvals') || 0);
  // those that were ticked, and those that were typed
  const contexts = [form.recent_contexts ?? [], text('status_check_contexts').split('\n')].flat();
  fields.status_check_contexts = contexts.map((context) => String(context).trim()).filter(Boolean);
  fields.protected_file_patterns = text('protected_file_patterns');
  fields.unprotected_file_patterns = text('unprotected_file_patterns');
  return fields;
}

const patternsOf = (fields: RuleFields, name: string) => () => checkFilePatterns(String(fields[name] ?? ''));

/** Refuses all that can be seen in the form itself at once. */
async function checkSent(fields: RuleFields, options: RuleOptions): Promise<void> {
  const { error } = ruleSchemas(options).createRule.validate(fields, { abortEarly: false });
  if (error)
    throw invalidInput(error, {
      rule_name: t.later('rule.pattern'),
      required_approvals: t.later('rule.approvals'),
      status_check_contexts: t.later('rule.contexts'),
      protected_file_patterns: t.later('rule.protected'),
      unprotected_file_patterns: t.later('rule.unprotected'),
      ...Object.fromEntries(options.list().map(({ key, label }) => [key, label])),
    });
  await checkFields({
    rule_name: () => checkRuleName(String(fields.rule_name), isRefName),
    protected_file_patterns: patternsOf(fields, 'protected_file_patterns'),
    unprotected_file_patterns: patternsOf(fields, 'unprotected_file_patterns'),
  });
}

/** A rule that was moved up goes before the one whose place it takes, one that was moved down behind it. */
function arranged(rules: readonly { readonly id: number }[], positions: Readonly<Record<string, string>>): number[] {
  return rules
    .map(({ id }, index) => {
      const position = Number(positions[`place_${id}`]) || index + 1;
      return { id, position: position + Math.sign(position - (index + 1)) * 0.5 };
    })
    .sort((a, b) => a.position - b.position)
    .map(({ id }) => id);
}

const access = { actor: 'user', resource: repositoryResource, mode: 'admin' } as const;

const path = '/{owner}/{repo}/settings/branches';

/** What these routes share. */
function branchContext({ branchRules, names, writers, gitReader, pages, site, contexts }: BranchPageDeps) {
  const base = ({ resource: { repository } }: Context) =>
    site.path(`/${repository.ownerName}/${repository.name}/settings/branches`);
  const frame = ({ resource, actor }: Context, title: Text, body: VNode, more: Partial<PageOptions> = {}) =>
    pages.settingsPage({ context: resource, actor }, 'branches', {
      title,
      body,
      islands: userFieldIslands,
      ...more,
    });
  const fitting = async (repositoryId: number): Promise<Map<number, string[]>> => {
    const branches = (await gitReader.open(repositoryId).branches()).slice(0, shownBranches).map(({ name }) => name);
    const names = new Map<number, string[]>();
    for (const [branch, rule] of await branchRules.rulesFor(repositoryId, branches))
      names.set(rule.id, [...(names.get(rule.id) ?? []), branch]);
    return names;
  };
  const known = async (repositoryId: number): Promise<string[]> => {
    const all = await Promise.all(contexts.list().map((source) => source.contexts(repositoryId)));
    return [...new Set(all.flat())].sort();
  };
  const form = async (context: Context, title: Text, action: string, fields: RuleFields, flash?: Flash) =>
    frame(
      context,
      title,
      <RuleForm
        action={action}
        title={title}
        fields={fields}
        isRefused={flash !== undefined}
        isStored={'created_at' in fields}
        options={names.options.list()}
        contexts={await known(context.resource.repository.id)}
        teams={(await names.teamsOf(context.resource.repository.ownerId)).map(({ name }) => name)}
      />,
      { status: formStatus(flash), flash },
    );
  /** Saves what was sent; a refusal is shown on the form with what was typed. */
  const save = async (
    context: Context,
    title: Text,
    action: string,
    work: (fields: RuleFields) => Promise<unknown>,
  ) => {
    changing(context.resource);
    const fields = fieldsOf(context.payload as RawForm, names.options);
    try {
      await checkSent(fields, names.options);
      await work(fields);
      return reply.redirect(base(context));
    } catch (error) {
      if (!Problem.is(error) || !['invalid', 'forbidden'].includes(error.code)) throw error;
      return form(context, title, action, fields, refusedFlash(error));
    }
  };
  return { frame, base, branchRules, fitting, form, save, names, writers };
}

type BranchPageContext = ReturnType<typeof branchContext>;

const ruleList = ({ frame, base, branchRules, names, fitting }: BranchPageContext) =>
  pageRoute(path, access, async (context) => {
    const { repository } = context.resource;
    const rules = await branchRules.list(repository.id);
    return frame(
      context,
      t.later('list.title'),
      <RuleList
        base={base(context)}
        rules={rules}
        fields={await presentBranchRules(names, rules)}
        options={names.options.list()}
        branches={await fitting(repository.id)}
      />,
      { islands: ['rule-order'] },
    );
  });

const orderRules = ({ branchRules, base }: BranchPageContext) =>
  postRoute(
    `${path}/order`,
    access,
    async (context) => {
      const { id } = changing(context.resource);
      const { ids, ...positions } = context.payload as Readonly<Record<string, string>>;
      await branchRules.order(
        id,
        ids === undefined ? arranged(await branchRules.list(id), positions) : ids.split(',').map(Number),
      );
      // the script that drags stays on the page
      if (context.headers.accept === 'application/json') return reply.none();
      return reply.redirect(base(context));
    },
    { payload: newOrder },
  );

const newRulePage = ({ form, base }: BranchPageContext) =>
  pageRoute(`${path}/new`, access, (context) => form(context, t.later('rule.new'), `${base(context)}/new`, {}));

const createRule = ({ save, base, names, branchRules, writers }: BranchPageContext) =>
  postRoute(`${path}/new`, access, (context) =>
    save(context, t.later('rule.new'), `${base(context)}/new`, async (fields) => {
      const { repository } = context.resource;
      const changes = await changesOf(names, repository.ownerId, fields);
      const name = String(fields.rule_name);
      await branchRules.create(repository.id, name, await writers.checkWriters(repository, changes));
    }),
  );

const rulePage = ({ branchRules, names, form, base }: BranchPageContext) =>
  pageRoute(
    `${path}/{id}`,
    access,
    async (context) => {
      const rule = await branchRules.byId(context.resource.repository.id, context.params.id);
      const [fields] = await presentBranchRules(names, [rule]);
      return form(context, t.later('rule.of', { name: rule.ruleName }), `${base(context)}/${rule.id}`, fields!);
    },
    { params: one },
  );

const saveRule = ({ branchRules, save, base, names, writers }: BranchPageContext) =>
  postRoute(
    `${path}/{id}`,
    access,
    async (context) => {
      const { repository } = context.resource;
      const rule = await branchRules.byId(repository.id, context.params.id);
      return save(
        context,
        t.later('rule.of', { name: rule.ruleName }),
        `${base(context)}/${rule.id}`,
        async (fields) => {
          const changes = await changesOf(names, repository.ownerId, fields, rule);
          const name = String(fields.rule_name);
          await branchRules.edit(rule, await writers.checkWriters(repository, changes, rule), name);
        },
      );
    },
    { params: one },
  );

const moveRule = ({ branchRules, base }: BranchPageContext) =>
  postRoute(
    `${path}/{id}/move`,
    access,
    async (context) => {
      const { id } = context.params as { id: number };
      await branchRules.move(changing(context.resource).id, id, context.payload.to);
      return reply.redirect(`${base(context)}#rule-${id}`);
    },
    { params: one, payload: direction },
  );

const deleteRule = ({ branchRules, base }: BranchPageContext) =>
  postRoute(
    `${path}/{id}/delete`,
    access,
    async (context) => {
      await branchRules.delete(await branchRules.byId(changing(context.resource).id, context.params.id));
      return reply.redirect(base(context));
    },
    { params: one },
  );

/** Settings → Branches: the rules in their order, and the form of one. */
export function branchPages(deps: BranchPageDeps): readonly Route[] {
  const context = branchContext(deps);
  return [
    ruleList(context),
    orderRules(context),
    newRulePage(context),
    createRule(context),
    rulePage(context),
    saveRule(context),
    moveRule(context),
    deleteRule(context),
  ];
}
