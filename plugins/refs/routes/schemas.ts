/** Models of branches and tags in the REST surface. */
import { Joi } from '@mortise/plugin-sdk';
import { commitMetaSchema, payloadUserSchema, verificationSchema } from '@mortise/history/api';

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const flag = () => Joi.boolean().required();
const time = () => Joi.string().required().description('RFC 3339');
const model = (name: string, fields: Joi.SchemaMap) => Joi.object(fields).label(name);
export const branchSchema = model('Branch', {
  name: text(),
  commit: model('PayloadCommit', {
    id: text(),
    message: text(),
    url: text(),
    author: payloadUserSchema.required(),
    committer: payloadUserSchema.required(),
    verification: verificationSchema.required(),
    timestamp: time(),
    added: Joi.array().items(Joi.string()).allow(null),
    removed: Joi.array().items(Joi.string()).allow(null),
    modified: Joi.array().items(Joi.string()).allow(null),
  }).required(),
  protected: flag(),
  required_approvals: count(),
  enable_status_check: flag(),
  status_check_contexts: Joi.array().items(Joi.string().allow('')).allow(null).required(),
  user_can_push: flag(),
  user_can_merge: flag(),
  effective_branch_protection_name: text(),
});
export const tagSchema = model('Tag', {
  name: text(),
  message: text(),
  id: text(),
  commit: commitMetaSchema.required(),
  zipball_url: text(),
  tarball_url: text(),
});
