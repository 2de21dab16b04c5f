// What `npm test` leaves to the full run, and what may run twice: in one place, so that it can be read and printed.
import { readFileSync } from 'node:fs';
import { sourceOf } from './files.mjs';

/**
 * Files that run once more alone where they failed beside others (decision 0013). Three at most: each is a defect that is
 * known and not yet mended.
 */
export const retried = new Map([
  [
    'test/faults/mirrors-kills.test.mjs',
    'git renames the references of one transaction one after the other, and a list that is read meanwhile shows both states',
  ],
  ['test/browser/push.test.mjs', 'a browser waits a minute for a page where both cores are taken'],
  ['test/hostile/repositories.test.mjs', 'how much memory a process holds at its peak depends on what else runs'],
]);

/** Compiled tests of plugins: the plugin → the names of its tests, both as patterns. */
const testsOf = (names) =>
  new RegExp(
    `^plugins/(?:${Object.entries(names)
      .map(([plugin, tests]) => `${plugin}/dist/test/(?:${tests})`)
      .join('|')})\\.test\\.js$`,
  );

/**
 * Files that `npm test` runs on SQLite alone and the full run on both: what they prove has little to do with the
 * database. Files that name what has its own statements, tables or locks stay on both.
 */
export const onMariadbInFullRun = [
  {
    why: 'formats of packages ask the database by the services of packages, whose tests run on both',
    files: testsOf({
      'package-(?!container|npm|chef|terraform)[\\w-]+': '.*',
      'package-container': 'limits|upstream',
      'package-npm': 'client|packuments|pages|upstream(?:-cache)?',
      'package-terraform': 'registry',
    }),
  },
  {
    why: 'git, its transports and what reads its objects keep next to nothing in the database',
    files: testsOf({
      '(?:editor|files|git|git-hooks|git-http|git-ssh|history|insights|signatures)': '.*',
      lfs: 'client|s3|shown|ssh|storage',
      wiki: 'git',
      repositories: 'commit-writer',
      releases: 'asset-types|assets',
    }),
  },
  {
    why: 'what signs people in asks others than the database, but for sessions, tokens and codes',
    files: testsOf({
      '(?:auth-basic|auth-ldap|auth-reverse-proxy|auth-sspi|captcha)': '.*',
      'auth-oauth2': 'mortise|oidc(?:-accounts|-linking)?',
      'auth-saml': 'attacks|sign-out|simplesamlphp',
      'auth-two-factor': 'enforced|features|notices|passkeys',
      accounts: 'features|keys|languages|login-sources|mail|profile',
      'oauth2-provider': 'levels',
      sessions: 'flow|mail|owner-confirmation|sign-out',
    }),
  },
  {
    why: 'pages and forms show what services read, whose tests run on both',
    files: testsOf({
      '(?!actions/|projects/)[\\w-]+': '[\\w-]*pages|forms|[\\w-]+-forms|browser|markup|documents|owner-choice',
      actions:
        'id-tokens|log-watchers|outsiders|reading|run-mails|run-pages|scoped-pages|settings-pages|status-texts|typed-inputs',
      admin: 'badges|configuration|login-sources|notices|overview|tasks',
      issues: 'commits|owners|templates',
      organizations: 'feeds|invitations',
      projects: 'activity-events|board-pages|exchange|followers|layouts|pages|saved-views|subscriptions',
      push: '.*',
      repositories: 'about|admin|demo',
      reviews: 'directions|lines|marks|told|written',
      search: 'page',
      webhooks: 'admin|again|deliveries|departed-creators|own-settings|pushes|secrets|silent-receiver',
    }),
  },
  {
    why: 'other servers, mails and runners are spoken to in the same way whatever the database is',
    files: testsOf({
      '(?:actions-runner|mail)': '.*',
      mirrors: 'access|hostile|large-and-ssh|limits|proxy|push|push-many',
      migrations:
        'access|credentials|dump-repo|ended|gitlab-import|hostile|import-records|lfs|losses|project-records|projects',
      notifications: 'mail',
      packages: 'addresses|admin|credentials|links|upstreams',
      pulls: 'messages',
    }),
  },
  {
    why: 'rules, rights and messages are decided of rows that other tests of the same plugins read and write on both',
    files: testsOf({
      actions: 'annotations|flows|logs|scoped-[\\w-]+|triggers|workflow-workers',
      'actions-artifacts': 'artifacts|older',
      'branch-protection': 'pushes',
      issues: 'labels|second-target-rights',
      lfs: 'protocol',
      notifications: 'subjects',
      projects: 'issue-lists|rights',
      pulls: 'conflicts|following',
      repositories: 'blocked',
      reviews: 'qualified-approvals|rules',
      search: 'palette|ranking',
    }),
  },
  {
    why: 'the kernel and what crosses plugins decide by the same code on both',
    files:
      /^core\/dist\/test\/(?:gauges|host|plugin-errors|tracing)\.|^test\/(?:attacks|authorization|build|clients|end-to-end|outside)\//,
  },
  {
    why: 'requirements and loads are asked of the same routes on both, and statements are counted of the same code',
    files:
      /^test\/(?:requirements\/(?:accounts|contents|tokens|versions|(?:list|page|people)-statements)|scale\/(?:metrics|push|pushes))\./,
  },
  {
    why: 'kills in the middle of a write are tried on both by killed-server',
    files:
      /^test\/faults\/(?:actions-kills|audit-kills|board-kills|killed-imports|killed-merges|killed-moves|many-uploads|mirrors-kills|our-runner|read-only|takeover-kills)\./,
  },
  {
    why: 'hostile input is refused before the database is asked, and checks and copies of a whole site read rows in one way',
    files:
      /^test\/(?:hostile\/|faults\/(?:backup|doctor|dump-and-restore)\.)|^plugins\/takeover\/dist\/test\/(?!passes\.)/,
  },
];

/** Why `npm test` leaves out the half of the file on MariaDB; undefined: it does not. */
export const whyOnSqliteAlone = (file) => onMariadbInFullRun.find(({ files }) => files.test(file))?.why;

/** What the head of a file says that the full run does beyond `npm test`: `MORTISE_TEST_FULL=1   30 kills instead of 3`. */
export function sampleOf(file) {
  const [, text] =
    /^\/\/ +MORTISE_TEST_FULL=1 +(.+(?:\n\/\/ {2,}(?!MORTISE)\S.*)*)/m.exec(readFileSync(sourceOf(file), 'utf8')) ?? [];
  return text?.replace(/\n\/\/ +/g, ' ');
}

/** Lines to be printed: what the run of these files leaves to the full run. */
export function leftToFullRun(files, isOnTwo = () => false) {
  const halves = new Map();
  for (const file of files.filter(isOnTwo)) {
    const why = whyOnSqliteAlone(file);
    if (why) halves.set(why, (halves.get(why) ?? 0) + 1);
  }
  return [
    ...[...halves].map(([why, count]) => `on SQLite alone, on MariaDB too in the full run: ${count} files (${why})`),
    ...files.flatMap((file) => {
      const sample = sampleOf(file);
      return sample ? [`${file}, in the full run: ${sample}`] : [];
    }),
  ];
}
