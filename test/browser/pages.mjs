// Every page that there is, by address: what the tests walk and what pictures are taken of.
import { long } from './seed.mjs';

/** Pages of one repository; `file` and `folder` lie on `branch`, `tag` has a release, `commit` is a full id. */
export const repositoryPages = (home, { branch = 'main', file, folder, picture, tag, commit, base }) => [
  home,
  `${home}/src/branch/${branch}/${folder}`,
  `${home}/src/branch/${branch}/${file}`,
  `${home}/src/branch/${branch}/${picture}`,
  `${home}/src/tag/${tag}/${file}`,
  `${home}/src/commit/${commit}/README.md`,
  `${home}/src/branch/${branch}/data/table.csv`,
  `${home}/src/branch/${branch}/data/notebook.ipynb`,
  `${home}/src/branch/${branch}/data/paper.pdf`,
  `${home}/src/branch/${branch}/data/bytes.bin`,
  `${home}/src/branch/${branch}/latest`,
  `${home}/blame/branch/${branch}/${file}`,
  `${home}/commits/branch/${branch}`,
  `${home}/commits/branch/${branch}/${file}`,
  `${home}/graph/branch/${branch}`,
  `${home}/find/branch/${branch}`,
  `${home}/search/branch/${branch}?q=turn`,
  `${home}/commit/${commit}`,
  `${home}/commit/${commit}?style=split`,
  `${home}/compare`,
  `${home}/compare/${base}...${branch}`,
  `${home}/src/branch/${long.branch}`,
  `${home}/src/branch/${long.branch}/${long.file}`,
  `${home}/src/branch/${long.branch}/${long.file}?display=source`,
  `${home}/blame/branch/${long.branch}/${long.file}`,
  `${home}/commits/branch/${long.branch}`,
  `${home}/commits/branch/${long.branch}/${long.file}`,
  `${home}/graph`,
  `${home}/commits`,
  `${home}/find`,
  `${home}/search`,
  `${home}/refs?to=src&kind=branch&name=${branch}`,
  `${home}/find/branch/${long.branch}`,
  `${home}/search/branch/${long.branch}?q=unbroken`,
  `${home}/compare/${branch}...${long.branch}`,
  `${home}/compare/${branch}...${long.branch}?style=split`,
  `${home}/releases/tag/${long.tag}`,
  `${home}/branches`,
  `${home}/tags`,
  `${home}/releases`,
  `${home}/releases/tag/${tag}`,
  `${home}/wiki`,
  `${home}/wiki/_pages`,
  `${home}/wiki/Home/_revision`,
  `${home}/packages`,
  `${home}/activity`,
  `${home}/activity/contributors`,
  `${home}/activity/code-frequency`,
  `${home}/activity/recent-commits`,
  `${home}/stars`,
  `${home}/watchers`,
  `${home}/forks`,
];

/** Pages of one repository for those who may write and administer it. */
export const keeperPages = (home, { branch = 'main', file, tag, commit }) => [
  `${home}/_new/${branch}`,
  `${home}/_edit/${branch}/${file}`,
  `${home}/_upload/${branch}`,
  `${home}/_delete/${branch}/${file}`,
  `${home}/_patch/${branch}`,
  `${home}/_revert/${commit}/${branch}`,
  `${home}/_cherry-pick/${commit}/${branch}`,
  `${home}/_edit/${long.branch}/${long.file}`,
  `${home}/_delete/${long.branch}/${long.file}`,
  `${home}/releases/edit/${long.tag}`,
  `${home}/releases/new`,
  `${home}/releases/edit/${tag}`,
  `${home}/wiki/_new`,
  `${home}/wiki/Home/_edit`,
  `${home}/wiki/Home/_delete`,
  `${home}/fork`,
  `${home}/settings`,
  `${home}/settings/collaboration`,
  `${home}/settings/branches`,
  `${home}/settings/branches/new`,
  `${home}/settings/tags`,
  `${home}/settings/keys`,
  `${home}/settings/hooks`,
  `${home}/settings/hooks/new?type=mortise`,
  `${home}/settings/lfs`,
  `${home}/settings/lfs/pointers?q=`,
  `${home}/settings/lfs/locks`,
  `${home}/settings/search?q=branch`,
];

/** Pages of the site and of the account `name`. */
export const sitePages = (name) => [
  '/',
  '/explore/repos',
  '/explore/users',
  '/explore/users?q=nobody-at-all',
  '/explore/organizations',
  `/${name}`,
  ...['activity', 'stars', 'packages', 'followers', 'following'].map((tab) => `/${name}?tab=${tab}`),
  '/api/swagger',
];

/** Pages of the organization `works` of seed.mjs, for its owner. */
export const organizationPages = () => [
  '/works',
  '/works?tab=activity',
  '/works?tab=packages',
  '/org/create',
  '/org/works/members',
  '/org/works/teams',
  '/org/works/teams/new',
  '/org/works/teams/builders',
  '/org/works/teams/builders/repositories',
  '/org/works/teams/builders/edit',
  '/org/works/teams/owners',
  '/org/works/teams/owners/edit',
  '/org/works/settings',
  '/org/works/settings/blocked_users',
  '/org/works/settings/delete',
  '/org/works/settings/hooks',
  '/org/works/settings/hooks/new?type=mortise',
];

/** Pages that only somebody who is signed in has. */
export const accountPages = () => [
  '/repo/create',
  '/user/repositories',
  '/user/settings',
  '/user/settings/account',
  '/user/settings/appearance',
  '/user/settings/keys',
  '/user/settings/organization',
  '/user/settings/gpg_keys',
  '/user/settings/applications',
  '/user/settings/hooks',
  '/user/settings/hooks/new?type=mortise',
  '/user/settings/change_password',
  '/user/settings/security',
  '/user/settings/security/two_factor/enroll',
  '/user/settings/sessions',
  '/user/settings/search?q=key',
];

/** Settings of a server with {@link mailPages}. */
export const withMail = {
  MORTISE__mailer__ENABLED: 'true',
  MORTISE__mailer__PROTOCOL: 'dummy',
  MORTISE__service__REGISTER_EMAIL_CONFIRM: 'true',
};

/** Pages that links in mails lead to, and from which mails are asked for; visitors see the first three. */
export const mailPages = () => [
  '/user/forgot_password',
  '/user/recover_account?code=void',
  '/user/activate?code=void',
  '/user/activate_email?code=void',
  '/-/admin/mail',
  '/-/admin/notices',
];

/** Pages of the administration. */
export const adminPages = () => [
  '/-/admin',
  '/-/admin/users',
  '/-/admin/users/new',
  '/-/admin/orgs',
  '/-/admin/auths',

  '/-/admin/repositories',
  '/-/admin/packages',
  '/-/admin/hooks/system',
  '/-/admin/hooks/default',
  '/-/admin/hooks/system/new?type=mortise',
  '/-/admin/hooks/default/new?type=mortise',
  '/-/admin/configuration',
  '/-/admin/adopt',
  '/-/admin/plugins',

  '/-/admin/tasks',
  '/-/admin/search?q=',
];
