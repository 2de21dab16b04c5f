import { Joi } from '@mortise/plugin-sdk';
import { maxCount, maxName, namePattern, type Rule } from '../services/groups.js';
import { subjects } from '../services/subjects.js';

const bytes = Joi.number().integer().required();
const limit = Joi.number()
  .integer()
  .min(-1)
  .max(Number.MAX_SAFE_INTEGER)
  .description('Bytes; -1: any number, 0: nothing');
const subjectList = Joi.array()
  .items(Joi.string().valid(...subjects))
  .unique()
  .max(subjects.length);
const name = Joi.string().trim().pattern(namePattern, 'no slash').max(maxName);

export const ruleSchema = Joi.object({
  name: Joi.string().description('For administrators'),
  limit: limit.required(),
  subjects: subjectList.required(),
}).label('QuotaRuleInfo');
export const ruleList = Joi.array().items(ruleSchema).label('QuotaRuleInfoList');

export const groupSchema = Joi.object({
  name: Joi.string().description('For administrators'),
  rules: ruleList.required(),
}).label('QuotaGroup');
export const groupList = Joi.array().items(groupSchema).label('QuotaGroupList');

export const quotaSchema = Joi.object({
  used: Joi.object({
    size: Joi.object({
      repos: Joi.object({ public: bytes, private: bytes }).required(),
      git: Joi.object({ LFS: bytes }).required(),
      wiki: bytes,
      assets: Joi.object({
        attachments: Joi.object({ issues: bytes, releases: bytes }).required(),
        artifacts: bytes,
        packages: Joi.object({ all: bytes }).required(),
      }).required(),
    }).required(),
  }).required(),
  groups: groupList.required(),
}).label('QuotaInfo');

/** Without a limit nothing may be stored, as in Forgejo. */
export const newRule = Joi.object<Rule>({
  name: name.required(),
  limit: limit.default(0),
  subjects: subjectList.default([]),
}).label('CreateQuotaRuleOptions');
export const ruleChanges = Joi.object<Partial<Pick<Rule, 'limit' | 'subjects'>>>({
  limit,
  subjects: subjectList,
}).label('EditQuotaRuleOptions');
export const newGroup = Joi.object<{ readonly name: string; readonly rules: readonly Rule[] }>({
  name: name.required(),
  rules: Joi.array().items(newRule).unique('name').max(maxCount).allow(null).default([]),
}).label('CreateQuotaGroupOptions');
export const userGroups = Joi.object<{ readonly groups: readonly string[] }>({
  groups: Joi.array().items(Joi.string().max(maxName)).unique().max(maxCount).required(),
}).label('SetUserQuotaGroupsOptions');
