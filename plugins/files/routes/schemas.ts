/** Models of files in the REST surface. */
import { Joi } from '@mortise/plugin-sdk';
import { commitMetaSchema, commitUserSchema, listOf, verificationSchema } from '@mortise/history/api';

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const time = () => Joi.string().required().description('RFC 3339');
const model = (name: string, fields: Joi.SchemaMap) => Joi.object(fields).label(name);
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
  author: commitUserSchema.required(),
  committer: commitUserSchema.required(),
  parents: Joi.array().items(commitMetaSchema).required(),
  message: text(),
  tree: commitMetaSchema.required(),
});
const written = { commit: fileCommit.required(), verification: verificationSchema.required() };
export const fileSchema = model('FileResponse', { content: contentsSchema.allow(null).required(), ...written });
export const fileDeleteSchema = model('FileDeleteResponse', { content: Joi.any().valid(null).required(), ...written });
export const filesSchema = model('FilesResponse', { files: someContentsSchema.required(), ...written });
