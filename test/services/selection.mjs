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

/**
 * Files that `npm test` runs on SQLite alone and the full run on both: what they prove has little to do with the
 * database. Files that name what has its own statements, tables or locks stay on both.
 */
export const onMariadbInFullRun = [
  {
    why: 'formats of packages ask the database by the services of packages, whose tests run on both',
    files:
      /^plugins\/package-(?:(?!container|npm|chef|terraform)[\w-]+\/|container\/dist\/test\/(?:limits|upstream)|npm\/dist\/test\/(?:client|pages|upstream)|terraform\/dist\/test\/registry)/,
  },
  {
    why: 'git, its transports and what reads its objects keep next to nothing in the database',
    files:
      /^plugins\/(?:editor|files|git|git-hooks|git-http|git-ssh|history|insights)\/|^plugins\/(?:lfs\/dist\/test\/(?:client|s3|shown|ssh)|wiki\/dist\/test\/git|repositories\/dist\/test\/commit-writer)/,
  },
  {
    why: 'directories, providers and browsers that sign people in are asked outside of the database',
    files: /^plugins\/(?:auth-ldap|auth-oauth2\/dist\/test\/(?:mortise|oidc)|auth-reverse-proxy|auth-sspi|captcha)\//,
  },
  {
    why: 'pages and forms show what services read, whose tests run on both',
    files:
      /^plugins\/(?!actions\/|projects\/)[\w-]+\/dist\/test\/(?:[\w-]*pages|forms|[\w-]+-forms|browser|markup|documents|owner-choice)\.test\.js$|^plugins\/actions\/dist\/test\/(?:settings-pages|scoped-pages|status-texts|typed-inputs|reading|id-tokens)\./,
  },
  {
    why: 'other servers, mails and runners are spoken to in the same way whatever the database is',
    files:
      /^plugins\/(?:mail|actions-runner|mirrors\/dist\/test\/(?:access|hostile|large-and-ssh|limits|proxy)|migrations\/dist\/test\/(?:access|credentials|hostile|lfs))\b/,
  },
  {
    why: 'rights, plugins from outside and requirements are decided by the same code on both',
    files:
      /^test\/(?:attacks\/accounts|authorization\/(?:every-route|restricted|token-scopes|units)|build\/start-modules|clients\/|outside\/|requirements\/(?:accounts|contents)|scale\/(?:metrics|push)\.)/,
  },
  {
    why: 'kills in the middle of a write are tried on both by killed-server, killed-merges and board-kills',
    files: /^test\/faults\/(?:actions-kills|killed-imports|many-uploads|mirrors-kills|our-runner|read-only)\./,
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
