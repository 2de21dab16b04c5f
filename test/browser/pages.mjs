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
export const keeperPages = (home, { branch = 'main', file, tag }) => [
  `${home}/_new/${branch}`,
  `${home}/_edit/${branch}/${file}`,
  `${home}/_upload/${branch}`,
  `${home}/_delete/${branch}/${file}`,
  `${home}/_patch/${branch}`,
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
];

/** Pages of the site and of the account `name`. */
export const sitePages = (name) => [
  '/',
  '/explore/repos',
  '/explore/users',
  '/explore/users?q=nobody-at-all',
  `/${name}`,
  ...['activity', 'stars', 'packages', 'followers', 'following'].map((tab) => `/${name}?tab=${tab}`),
  '/api/swagger',
];

/** Pages that only somebody who is signed in has. */
export const accountPages = () => [
  '/repo/create',
  '/user/repositories',
  '/user/settings',
  '/user/settings/account',
  '/user/settings/appearance',
  '/user/settings/keys',
  '/user/settings/gpg_keys',
  '/user/settings/applications',
  '/user/settings/hooks',
  '/user/settings/sessions',
];

/** Pages of the administration. */
export const adminPages = () => [
  '/-/admin',
  '/-/admin/users',
  '/-/admin/users/new',

  '/-/admin/adopt',
  '/-/admin/plugins',

  '/-/admin/tasks',
];
