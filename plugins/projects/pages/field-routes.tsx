import {
  pageRoute,
  formId,
  formRoute,
  formText,
  Invalid,
  toId,
  type Flash,
  type FormValues,
  type Route,
  type WebPage,
} from '@mortise/plugin-sdk';
import { ruleEvents } from '../api.js';
import { fieldKinds, type FieldKind, type ProjectField } from '../contract/fields.js';
import type { GivenOption, GivenValue } from '../services/fields.js';
import { isGroupField } from './board-layout.js';
import { FieldsPage, RulesPage } from './field-page.js';
import { boardPath, pageRoots, projectPage, type BoardRoute, type PageDeps } from './frame.js';
import { writeProject } from './list-routes.js';
import { t } from '../texts/index.js';

const maxOptionsText = 20_000;

/** Options as lines; one whose title stays keeps its cards. */
function optionsOf(text: string, kind: FieldKind, present: ProjectField['options'] = []): GivenOption[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [title, startsOn, days] = kind === 'iteration' ? iterationOf(line) : ([line, '', ''] as const);
      const known = present.find((one) => one.title.toLowerCase() === title.toLowerCase());
      return {
        title,
        ...(known && { id: known.id, color: known.color }),
        ...(kind === 'iteration' && { startsOn, days: Number(days) || 0 }),
      };
    });
}

/** `Sprint 1 | 2026-12-01 | 14`; only the name may have further bars. */
function iterationOf(line: string): [title: string, startsOn: string, days: string] {
  const [, title = line, startsOn = '', days = ''] = /^(.*)\|([^|]*)\|([^|]*)$/.exec(line) ?? [];
  return [title.trim(), startsOn.trim(), days.trim()];
}

/** What the form of a card says of fields; those that it does not name stay. */
export const valuesOf = (values: FormValues, fields: readonly ProjectField[]): GivenValue[] =>
  fields.flatMap((field) => {
    const name = `field-${field.id}`;
    if (values[name] === undefined) return [];
    const text = formText(values, name, 1000);
    return [{ fieldId: field.id, value: text === '' ? null : isGroupField(field) ? toId(text) : text }];
  });

async function fieldsPage(deps: PageDeps, context: BoardRoute, flash?: Flash): Promise<WebPage> {
  const { project, scope } = context.resource;
  return projectPage(deps, context, scope, {
    title: t.later('fields.title'),
    ...(flash && { flash, status: 422 }),
    body: (
      <FieldsPage
        path={boardPath(deps.site, context.resource)}
        title={project.title}
        fields={await deps.services.fields.list(project.id)}
      />
    ),
  });
}

async function rulesPage(deps: PageDeps, context: BoardRoute, flash?: Flash): Promise<WebPage> {
  const { project, scope } = context.resource;
  const { columns, rules } = deps.services;
  return projectPage(deps, context, scope, {
    title: t.later('rules.title'),
    ...(flash && { flash, status: 422 }),
    body: (
      <RulesPage
        path={boardPath(deps.site, context.resource)}
        title={project.title}
        columns={await columns.list(project.id)}
        rules={await rules.list(project.id)}
      />
    ),
  });
}

async function createField({ services }: PageDeps, { resource }: BoardRoute, values: FormValues): Promise<void> {
  const submittedKind = formText(values, 'kind');
  const kind = fieldKinds.find((one) => one === submittedKind);
  if (!kind) throw Invalid(t.later('error.oneOf', { field: 'kind', values: fieldKinds.join(', ') }));
  const options = optionsOf(formText(values, 'options', maxOptionsText), kind);
  await services.fields.create(resource.project.id, { name: formText(values, 'name', 1000), kind, options });
}

async function changeField(
  { services }: PageDeps,
  { params, resource }: BoardRoute,
  values: FormValues,
): Promise<void> {
  const { fields } = services;
  const projectId = resource.project.id;
  const field = await fields.of(projectId, toId((params as { readonly field_id?: string }).field_id));
  if (formText(values, 'delete')) return fields.delete(projectId, field.id);
  const options = optionsOf(formText(values, 'options', maxOptionsText), field.kind, field.options);
  await fields.edit(projectId, field.id, {
    name: formText(values, 'name', 1000),
    ...(isGroupField(field) && { options }),
  });
}

async function setRules({ services }: PageDeps, { resource }: BoardRoute, values: FormValues): Promise<void> {
  const { deps, rules } = services;
  const projectId = resource.project.id;
  await deps.database.write(async () => {
    const present = await rules.list(projectId);
    for (const event of ruleEvents) {
      const columnId = formId(values, event);
      const before = present.find((rule) => rule.event === event);
      if (columnId && columnId !== before?.columnId) await rules.set(projectId, event, columnId);
      else if (!columnId && before) await rules.delete(projectId, event);
    }
  });
}

/** Fields that a board has of its own, and the rules by which its cards move. */
export const fieldPageRoutes = (deps: PageDeps): Route[] =>
  pageRoots.flatMap((root): Route[] => {
    const pathIn = ({ resource }: BoardRoute) => boardPath(deps.site, resource);
    const form = (
      path: string,
      run: (deps: PageDeps, context: BoardRoute, values: FormValues) => Promise<void>,
      to: 'fields' | 'rules',
    ) =>
      formRoute(
        `${root}/{id}/${path}`,
        writeProject,
        async (context, values) => {
          await run(deps, context, values);
          return `${pathIn(context)}/${to}`;
        },
        (context, _values, flash) => (to === 'fields' ? fieldsPage : rulesPage)(deps, context, flash),
      );
    return [
      pageRoute(`${root}/{id}/fields`, writeProject, (context) => fieldsPage(deps, context)),
      form('fields', createField, 'fields'),
      form('fields/{field_id}', changeField, 'fields'),
      pageRoute(`${root}/{id}/rules`, writeProject, (context) => rulesPage(deps, context)),
      form('rules', setRules, 'rules'),
    ];
  });
