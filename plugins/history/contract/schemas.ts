/** Models of commits in the REST surface, shared by every plugin that answers with them (CNT-01 to CNT-06). */
import { Joi } from '@mortise/plugin-sdk';
import { userSchema } from '@mortise/accounts/api';

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const flag = () => Joi.boolean().required();
const time = () => Joi.string().required().description('RFC 3339');
const model = (name: string, fields: Joi.SchemaMap) => Joi.object(fields).label(name);
export const listOf = (schema: Joi.ObjectSchema, name: string): Joi.ArraySchema<object[]> =>
  Joi.array().items(schema).label(`${name}List`);

export const payloadUserSchema: Joi.ObjectSchema<object> = model('PayloadUser', {
  name: text(),
  email: text(),
  username: text(),
});
export const verificationSchema: Joi.ObjectSchema<object> = model('PayloadCommitVerification', {
  verified: flag(),
  reason: text(),
  signature: text(),
  payload: text(),
  signer: payloadUserSchema.allow(null).required(),
});
export const commitMetaSchema: Joi.ObjectSchema<object> = model('CommitMeta', {
  url: text(),
  sha: text(),
  created: time(),
});
export const commitUserSchema: Joi.ObjectSchema<object> = model('CommitUser', {
  name: text(),
  email: text(),
  date: time(),
});
const affectedFile = model('CommitAffectedFiles', {
  filename: text(),
  status: Joi.string().valid('added', 'removed', 'modified').required(),
});
export const commitSchema: Joi.ObjectSchema<object> = model('Commit', {
  url: text(),
  sha: text(),
  created: time(),
  html_url: text(),
  commit: model('RepoCommit', {
    url: text(),
    author: commitUserSchema.required(),
    committer: commitUserSchema.required(),
    message: text(),
    tree: commitMetaSchema.required(),
    verification: verificationSchema.allow(null).required(),
  }).required(),
  author: userSchema.allow(null).required(),
  committer: userSchema.allow(null).required(),
  parents: Joi.array().items(commitMetaSchema).required(),
  files: Joi.array().items(affectedFile).allow(null).required(),
  stats: model('CommitStats', { total: count(), additions: count(), deletions: count() }).allow(null).required(),
});
