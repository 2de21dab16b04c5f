import { Joi } from '@mortise/plugin-sdk';

export const hookSchema = Joi.object({
  id: Joi.number().integer(),
  type: Joi.string(),
  name: Joi.string().allow(''),
  branch_filter: Joi.string().allow(''),
  config: Joi.object().pattern(Joi.string(), Joi.string().allow('')),
  events: Joi.array().items(Joi.string()),
  authorization_header: Joi.string().allow(''),
  active: Joi.boolean(),
  updated_at: Joi.string().isoDate(),
  created_at: Joi.string().isoDate(),
}).label('Hook');

const config = Joi.object()
  .pattern(Joi.string(), Joi.alternatives(Joi.string().allow(''), Joi.number(), Joi.boolean()).allow(null))
  .label('CreateHookOptionConfig')
  .description(
    '`url` and `content_type` (`json` or `form`), and what the kind knows besides; `secret` signs the bodies, and the one before does too for `secret_overlap_hours` after a change',
  );

const common = {
  name: Joi.string().allow('', null).description('Shown instead of the address'),
  events: Joi.array().items(Joi.string()).allow(null).description('None given means push, `*` means all'),
  branch_filter: Joi.string()
    .allow('', null)
    .description('Glob over full reference names; a branch also matches by its short name'),
  authorization_header: Joi.string().allow('', null).description('Value of the Authorization header of deliveries'),
  active: Joi.boolean().allow(null),
};

export type CreateHookBody = {
  readonly type: string;
  readonly config: Readonly<Record<string, string | number | boolean | null>>;
  readonly name?: string | null;
  readonly events?: readonly string[] | null;
  readonly branch_filter?: string | null;
  readonly authorization_header?: string | null;
  readonly active?: boolean | null;
};

export const createHookSchema = Joi.object<CreateHookBody>({
  type: Joi.string().required(),
  config: config.required(),
  ...common,
}).label('CreateHookOption');
type EditHookBody = {
  readonly config?: Readonly<Record<string, string | number | boolean | null>> | null;
  readonly name?: string | null;
  readonly events?: readonly string[] | null;
  readonly branch_filter?: string | null;
  readonly authorization_header?: string | null;
  readonly active?: boolean | null;
};

export const editHookSchema = Joi.object<EditHookBody>({ config: config.allow(null), ...common }).label(
  'EditHookOption',
);

export interface RedeliverBody {
  readonly since: string;
  readonly before: string;
  readonly all?: boolean | null;
}
export const redeliverSchema = Joi.object<RedeliverBody>({
  since: Joi.string().max(40).required().description('Deliveries made at or after (RFC 3339)'),
  before: Joi.string().max(40).required().description('Deliveries made at or before (RFC 3339)'),
  all: Joi.boolean().allow(null).description('Those that succeeded too; default: failed ones alone'),
}).label('RedeliverHookOption');
export const redeliveredSchema = Joi.object<{ readonly count: number }>({
  count: Joi.number().integer().required().description('Deliveries that are sent again'),
}).label('RedeliveredHooks');

export const hookRequestSchema = Joi.object({
  method: Joi.string().required(),
  url: Joi.string().required(),
  headers: Joi.object().pattern(Joi.string(), Joi.string().allow('')).required(),
  body: Joi.string().allow('').required(),
}).label('HookRequest');
