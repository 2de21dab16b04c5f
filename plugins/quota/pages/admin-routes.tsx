import {
  formRoute,
  formStatus,
  formText,
  NotFound,
  pageRoute,
  parseSize,
  refusedField,
  savedFlash,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { AdminPage } from '@mortise/admin/api';
import { maxName, namePattern, type Groups } from '../services/groups.js';
import { sizePattern } from '../settings.js';
import { QuotaAdministration, type SentRule } from './admin.js';
import { shownSubjects } from './subject-label.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly adminPage: AdminPage;
  readonly groups: Groups;
  readonly site: Site;
}

const address = '/-/admin/quota';
const access = { actor: 'admin' } as const;
const noRule: SentRule = { name: '', limit: '', subjects: [] };

/** Rules and groups are found by names that stand in addresses of the API. */
function nameOf(values: FormValues, field: string): string {
  const name = formText(values, field, maxName + 1).trim();
  if (name.length > maxName || !namePattern.test(name))
    throw refusedField(field, t.later('error.name', { max: maxName }));
  return name;
}

const sentRule = (values: FormValues): SentRule => ({
  name: formText(values, 'name', maxName + 1),
  limit: formText(values, 'limit', 30),
  subjects: shownSubjects.filter((subject) => formText(values, `subject.${subject}`) === 'true'),
});

function limitOf({ limit }: SentRule): number {
  if (!sizePattern.test(limit) || !Number.isSafeInteger(parseSize(limit)))
    throw refusedField('limit', t.later('error.limit'));
  return parseSize(limit);
}

/** `/-/admin/quota`: rules and groups, with a form for each change. */
export function adminRoutes({ accounts, adminPage, groups, site }: Services): readonly Route[] {
  const base = site.path(address);
  const page = async ({ actor }: Pick<RouteContext, 'actor'>, flash?: Flash, sent = noRule) => {
    const all = await groups.listWithUsers();
    const byId = await accounts.byIds(all.flatMap(({ userIds }) => userIds));
    const shown = all.map((group) => ({ ...group, users: group.userIds.flatMap((id) => byId.get(id)?.name ?? []) }));
    return adminPage({
      active: 'quota',
      title: t.later('admin.title'),
      actor,
      flash,
      status: formStatus(flash),
      body: <QuotaAdministration rules={await groups.rules()} groups={shown} sent={sent} base={base} />,
    });
  };
  const change = (path: string, act: (values: FormValues) => Promise<unknown>): Route =>
    formRoute(
      `${address}/${path}`,
      access,
      async (_context, values) => {
        await act(values);
        return `${base}?saved=1`;
      },
      (context, values, flash) => page(context, flash, path === 'rules' ? sentRule(values) : noRule),
    );
  const accountOf = async (values: FormValues): Promise<Account> => {
    const account = await accounts.byName(formText(values, 'user', 100));
    if (!account) throw NotFound(t.later('error.noUser'));
    return account;
  };
  const group = (values: FormValues) => formText(values, 'group', maxName);
  const rule = (values: FormValues) => formText(values, 'rule', maxName);
  return [
    pageRoute(address, access, (context) => page(context, savedFlash(context.query))),
    change('rules', (values) => {
      const sent = sentRule(values);
      const subjects = shownSubjects.filter((subject) => sent.subjects.includes(subject));
      return groups.addRule({ name: nameOf(values, 'name'), limit: limitOf(sent), subjects });
    }),
    change('rules/delete', (values) => groups.deleteRule(rule(values))),
    change('groups', (values) => groups.add(nameOf(values, 'group'), [])),
    change('groups/delete', (values) => groups.delete(group(values))),
    change('groups/add-rule', (values) => groups.addRuleTo(group(values), rule(values))),
    change('groups/remove-rule', (values) => groups.removeRuleFrom(group(values), rule(values))),
    change('groups/add-user', async (values) => groups.addUser(group(values), await accountOf(values))),
    change('groups/remove-user', async (values) => groups.removeUser(group(values), await accountOf(values))),
  ];
}
