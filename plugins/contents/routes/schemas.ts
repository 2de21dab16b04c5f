/** Models of the REST surface as this plugin answers with them (CNT-01 to CNT-06 and the operations around). */
import { Joi } from '@mortise/plugin-sdk';
import { userSchema } from '@mortise/accounts/api';

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const flag = () => Joi.boolean().required();
const time = () => Joi.string().required().description('RFC 3339');
const model = (name: string, fields: Joi.SchemaMap) => Joi.object(fields).label(name);
export const listOf = (schema: Joi.ObjectSchema, name: string) => Joi.array().items(schema).label(`${name}List`);

const payloadUser = model('PayloadUser', { name: text(), email: text(), username: text() });
export const verificationSchema = model('PayloadCommitVerification', {
  verified: flag(),
  reason: text(),
  signature: text(),
  payload: text(),
  signer: payloadUser.allow(null).required(),
});
const commitMeta = model('CommitMeta', { url: text(), sha: text(), created: time() });
const commitUser = model('CommitUser', { name: text(), email: text(), date: time() });
const affectedFile = model('CommitAffectedFiles', {
  filename: text(),
  status: Joi.string().valid('added', 'removed', 'modified').required(),
});
export const commitSchema = model('Commit', {
  url: text(),
  sha: text(),
  created: time(),
  html_url: text(),
  commit: model('RepoCommit', {
    url: text(),
    author: commitUser.required(),
    committer: commitUser.required(),
    message: text(),
    tree: commitMeta.required(),
    verification: verificationSchema.allow(null).required(),
  }).required(),
  author: userSchema.allow(null).required(),
  committer: userSchema.allow(null).required(),
  parents: Joi.array().items(commitMeta).required(),
  files: Joi.array().items(affectedFile).allow(null).required(),
  stats: model('CommitStats', { total: count(), additions: count(), deletions: count() }).allow(null).required(),
});
export const compareSchema = model('Compare', {
  total_commits: count(),
  commits: Joi.array().items(commitSchema).required(),
});
export const noteSchema = model('Note', { message: text(), commit: commitSchema.allow(null).required() });

export const branchSchema = model('Branch', {
  name: text(),
  commit: model('PayloadCommit', {
    id: text(),
    message: text(),
    url: text(),
    author: payloadUser.required(),
    committer: payloadUser.required(),
    verification: verificationSchema.required(),
    timestamp: time(),
    added: Joi.array().items(Joi.string()).allow(null),
    removed: Joi.array().items(Joi.string()).allow(null),
    modified: Joi.array().items(Joi.string()).allow(null),
  }).required(),
  protected: flag(),
  required_approvals: count(),
  enable_status_check: flag(),
  status_check_contexts: Joi.array().items(Joi.string().allow('')).required(),
  user_can_push: flag(),
  user_can_merge: flag(),
  effective_branch_protection_name: text(),
});
export const tagSchema = model('Tag', {
  name: text(),
  message: text(),
  id: text(),
  commit: commitMeta.required(),
  zipball_url: text(),
  tarball_url: text(),
});

export const contentsSchema = model('ContentsResponse', {
  name: text(),
  path: text(),
  sha: text(),
  last_commit_sha: Joi.string(),
  last_committer_date: Joi.string(),
  last_author_date: Joi.string(),
  last_commit_message: Joi.string().allow(''),
  type: Joi.string().valid('file', 'dir', 'symlink', 'submodule').required(),
  size: count(),
  encoding: Joi.string().allow(null).required(),
  content: Joi.string().allow('', null).required().description('Base64'),
  target: Joi.string().allow('', null).required(),
  url: text(),
  html_url: Joi.string().allow(null).required(),
  git_url: Joi.string().allow(null).required(),
  download_url: Joi.string().allow(null).required(),
  submodule_git_url: Joi.string().allow('', null).required(),
  lfs_oid: Joi.string(),
  lfs_size: Joi.number().integer(),
  _links: model('FileLinksResponse', {
    self: text(),
    git: Joi.string().allow(null).required(),
    html: Joi.string().allow(null).required(),
  }).required(),
});
export const contentsListSchema = listOf(contentsSchema, 'Contents');
export const someContentsSchema = Joi.array().items(contentsSchema.allow(null)).label('ContentsOrNullList');
export const contentsExtSchema = model('ContentsExtResponse', {
  file_contents: contentsSchema,
  dir_contents: contentsListSchema,
});
const fileCommit = model('FileCommitResponse', {
  url: text(),
  sha: text(),
  created: time(),
  html_url: text(),
  author: commitUser.required(),
  committer: commitUser.required(),
  parents: Joi.array().items(commitMeta).required(),
  message: text(),
  tree: commitMeta.required(),
});
const written = { commit: fileCommit.required(), verification: verificationSchema.required() };
export const fileSchema = model('FileResponse', { content: contentsSchema.allow(null).required(), ...written });
export const fileDeleteSchema = model('FileDeleteResponse', { content: Joi.any().valid(null).required(), ...written });
export const filesSchema = model('FilesResponse', { files: someContentsSchema.required(), ...written });

export const treeSchema = model('GitTreeResponse', {
  sha: text(),
  url: text(),
  tree: Joi.array()
    .items(
      model('GitEntry', {
        path: text(),
        mode: text(),
        type: Joi.string().valid('blob', 'tree', 'commit').required(),
        size: count(),
        sha: text(),
        url: text(),
      }),
    )
    .required(),
  truncated: flag(),
  page: count(),
  total_count: count(),
});
export const blobSchema = model('GitBlobResponse', {
  content: Joi.string().allow('', null).required().description('Base64'),
  encoding: Joi.string().allow(null).required(),
  url: text(),
  sha: text(),
  size: count(),
  lfs_oid: Joi.string(),
  lfs_size: Joi.number().integer(),
});
export const referenceSchema = model('Reference', {
  ref: text(),
  url: text(),
  object: model('GitObject', { type: text(), sha: text(), url: text() }).required(),
});
export const annotatedTagSchema = model('AnnotatedTag', {
  tag: text(),
  sha: text(),
  url: text(),
  message: text(),
  tagger: commitUser.allow(null).required(),
  object: model('AnnotatedTagObject', { type: text(), url: text(), sha: text() }).required(),
  verification: verificationSchema.required(),
});
