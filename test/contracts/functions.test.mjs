// A function can be seen at once: none has over a hundred lines, and `register` of a plugin is a table of contents.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import ts from 'typescript';
import { lengthFaults } from '../support/length-faults.mjs';
import { root } from '../support/server.mjs';
import { trackedFiles } from '../support/tracked-files.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const max = 100;

/** Those that are longer, with their lines: they may shrink, not grow, and leave the list when they are short enough. */
const longer = {
  'plugins/accounts/pages/account-forms.tsx AccountForms': 132,
  'plugins/accounts/routes/profile-pages.tsx profilePageRoutes': 175,
  'plugins/actions-runner/commands/runner-commands.ts runnerCommands': 108,
  'plugins/actions/pages/runs/routes.tsx runContext': 151,
  'plugins/actions/pages/settings/runners.tsx runnerPages': 120,
  'plugins/actions/pages/settings/scoped.tsx scopedPages': 106,
  'plugins/actions/register/logs.ts registerLogs': 110,
  'plugins/actions/register/runs.ts registerServices': 108,
  'plugins/admin/commands/site.ts siteCommands': 110,
  'plugins/admin/commands/users.ts userCommands': 126,
  'plugins/auth-ldap/pages/fields.tsx DirectoryFields': 103,
  'plugins/auth-oauth2/routes/sign-in.tsx signInPages': 110,
  'plugins/branch-protection/pages/rule-form.tsx RuleForm': 128,
  'plugins/editor/routes/files.tsx fileRoutes': 184,
  'plugins/files/pages/home.tsx codeContext': 102,
  'plugins/files/routes/files.ts fileRoutes': 140,
  'plugins/forks/pages/fork.tsx forkPageContext': 114,
  'plugins/issues/pages/conversation.tsx conversationOf': 155,
  'plugins/issues/pages/islands/complete.ts complete': 113,
  'plugins/migrations/pages/new.tsx newImportPages': 116,
  'plugins/migrations/pages/owner.tsx ownerPages': 158,
  'plugins/oauth2-provider/routes/application-pages.tsx applicationPages': 117,
  'plugins/organizations/pages/settings.tsx Settings': 105,
  'plugins/organizations/pages/team-form.tsx TeamForm': 101,
  'plugins/organizations/routes/team-pages.tsx teamPageContext': 122,
  'plugins/organizations/services/team-access.ts teamSource': 130,
  'plugins/package-composer/format.tsx composerFormat': 101,
  'plugins/package-conan/routes/v1.ts v1Routes': 129,
  'plugins/package-conan/routes/v2.ts v2Routes': 125,
  'plugins/package-container/routes/image.ts imageRoutes': 166,
  'plugins/package-npm/routes/packages.ts npmRoutes': 138,
  'plugins/package-pypi/format.tsx pypiFormat': 123,
  'plugins/package-swift/format.tsx swiftFormat': 139,
  'plugins/packages/pages/views.tsx VersionView': 117,
  'plugins/projects/routes/columns.ts rootRoutes': 103,
  'plugins/pulls/pages/new-pull.tsx newPullContext': 133,
  'plugins/refs/pages/branch-rows.tsx BranchRow': 105,
  'plugins/refs/pages/branches.tsx branchContext': 126,
  'plugins/refs/pages/branches.tsx show': 107,
  'plugins/releases/pages/form-pages.tsx formContext': 117,
  'plugins/releases/pages/release-card.tsx ReleaseCard': 101,
  'plugins/repositories/pages/create.tsx createPageContext': 101,
  'plugins/repositories/pages/danger.tsx DangerZone': 110,
  'plugins/repositories/pages/settings.tsx page': 119,
  'plugins/repositories/pages/settings.tsx settingsPageContext': 168,
  'plugins/repositories/services/register.ts registerServices': 198,
  'plugins/reviews/pages/diff-extension.tsx slotsOf': 117,
  'plugins/webhooks/pages/hook-pages.tsx HookForm': 147,
  'plugins/webhooks/pages/routes.tsx hookPages': 251,
  'plugins/webhooks/routes/hooks.ts routesOf': 104,
  'plugins/wiki/pages/routes.tsx wikiContext': 113,
};

/** Descriptions of data: tables of a database, and files that the command line writes. */
const isData = (file) => /\/migrations\/\d{4}_|\/cli\/templates\/|\/texts\//.test(file);

/** Each function over `max` lines: `file name` → lines. */
export function longFunctions(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const found = {};
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const lines = lineOf(node.getEnd()) - lineOf(node.getStart()) + 1;
      if (lines > max) {
        let named = node;
        while (!named.name?.getText && named.parent) named = named.parent;
        const key = `${file} ${named.name?.getText()}`;
        found[key] = Math.max(lines, found[key] ?? 0);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('lengths of functions', () => {
  it('are found by the name that the function or its constant has', () => {
    const body = '\n'.repeat(max);
    expect(
      longFunctions('a.ts', `function one() {${body}}\nconst two = () => {${body}};\nconst short = () => 1;`),
    ).to.equal({
      'a.ts one': max + 1,
      'a.ts two': max + 1,
    });
  });

  it('are at most a hundred lines, but for those that were longer', () => {
    const files = trackedFiles('*.ts', '*.tsx')?.filter(
      (file) => !/\/(test|testing)\/|\/testing\.ts/.test(file) && !isData(file),
    );
    if (!files) return;
    expect(files.length).to.be.above(1000);
    const found = {};
    // removed files that are not committed yet are passed over
    for (const file of files)
      if (existsSync(join(root, file)))
        Object.assign(found, longFunctions(file, readFileSync(join(root, file), 'utf8')));
    expect(lengthFaults(found, longer, max)).to.equal([]);
  });
});
