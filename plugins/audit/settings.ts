import { Joi } from '@mortise/plugin-sdk';

interface AuditSettings {
  RETENTION_DAYS: number;
  MAX_EXPORT: number;
}
/** `[audit]` */
export const auditSettings = Joi.object<AuditSettings, true>({
  RETENTION_DAYS: Joi.number()
    .integer()
    .min(0)
    .default(365)
    .description('Days after which entries of the audit log are deleted; 0 keeps them for ever.'),
  MAX_EXPORT: Joi.number()
    .integer()
    .min(1)
    .default(100_000)
    .description('Entries in one export of the audit log; what is older can be exported with `before`.'),
});
